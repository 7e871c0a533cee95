/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of every kind, the ones of printed plans first.
 */
#include "graph/kinds.h"

#include <string.h>
#include "unit/graph/suites.h"
#include "unit/graph/texts.h"

static void check_description(const char *nodes, const char *expected)
{
    kc_graph_t *graph = graph_of(nodes);
    char text[200];
    kci_graph_describe_node(graph, graph->node_count - 1, text, sizeof text);
    ck_assert_str_eq(text, expected);
    kci_graph_release(graph);
}

START_TEST(the_demo_graph_is_described_as_printed)
{
    static const char *const expected[] = {
        "input",
        "reshape [4] [1, 4]",
        "const",
        "transpose 0 1",
        "matmul",
        "const",
        "broadcast_to [8] [1, 8]",
        "add",
        "reshape [1, 8] [8]",
        "relu",
        "reshape [8] [1, 8]",
        "const",
        "transpose 0 1",
        "matmul",
        "const",
        "broadcast_to [1] [1, 1]",
        "add",
        "reshape [1, 1] [1]",
    };
    kc_graph_t *graph = graph_of_file("tests/graphs/mlp_4_8_1.json");
    char text[100];
    for (uint32_t node = 0; node < graph->node_count; node++) {
        kci_graph_describe_node(graph, node, text, sizeof text);
        ck_assert_str_eq(text, expected[node]);
    }
    kci_graph_release(graph);
}
END_TEST

#define X(shape) INPUT_X(shape)
#define W(shape)                                                               \
    ", {@, \"op\": \"const\", \"name\": \"w\", \"shape\": " shape "}"
#define LAST(op, parents, shape, attrs) NODE_WITH(op, parents, shape, attrs)

static const struct description {
    const char *nodes;
    const char *expected;
} descriptions[] = {
    {X("[2, 3, 4]")
         LAST("permute", "[0]", "[4, 2, 3]", "{\"perm\": [2, 0, 1]}"),
     "permute 2 0 1"},
    {X("[2, 3, 4]") LAST("transpose", "[0]", "[4, 3, 2]", "{\"axes\": [2, 0]}"),
     "transpose 2 0"},
    {X("[2, 2]") LAST("transpose", "[0]", "[2, 2]", "{\"axes\": [1, 1]}"),
     "transpose 1 1"},
    {X("[\"N\", 4]") NODE("reshape", "[0]", "[\"N\", 2, 2]"),
     "reshape [N, 4] [N, 2, 2]"},
    {X("[2, 3]") NODE("flatten", "[0]", "[6]"), "flatten [2, 3] [6]"},
    {X("[]") NODE("broadcast_to", "[0]", "[2]"), "broadcast_to [] [2]"},
    {X("[2]") LAST("concat", "[0, 0]", "[4]", "{\"axis\": 0}"), "concat 0"},
    {X("[5]") LAST("slice", "[0]", "[2]",
                   "{\"axis\": 0, \"start\": 1, \"length\": 2}"),
     "slice 0 1 2"},
    {X("[2]") LAST("scale", "[0]", "[2]", "{\"factor\": 0.1}"), "scale 0.1"},
    {X("[2]") LAST("scale", "[0]", "[2]", "{\"factor\": \"-inf\"}"),
     "scale -inf"},
    {X("[2]") LAST("clamp", "[0]", "[2]", "{\"lo\": -1, \"hi\": 6.5}"),
     "clamp -1 6.5"},
    {X("[2]") NODE("gelu", "[0]", "[2]"), "gelu"},
    {X("[2]") LAST("gelu", "[0]", "[2]", "{\"approximate\": \"none\"}"),
     "gelu none"},
    {X("[2, 3]") LAST("softmax", "[0]", "[2, 3]", "{\"axis\": 1}"),
     "softmax 1"},
    {X("[2, 3]") LAST("reduce_mean", "[0]", "[3]", "{\"axis\": 0}"),
     "reduce_mean 0"},
    {X("[2, 3]") NODE("sum", "[0]", "[]"), "sum"},
    {X("[2, 3]") LAST("layernorm", "[0]", "[2, 3]", "{\"axis\": 1}"),
     "layernorm 1 1e-05"},
    {X("[2, 3]") W("[3]") LAST("batch_norm", "[0, 1, 1]", "[2, 3]",
                               "{\"mode\": \"batch\", \"channel_axis\": 1}"),
     "batch_norm batch 1 1e-05"},
    {X("[2, 3]") W("[3]") LAST("batch_norm_eval", "[0, 1, 1, 1, 1]", "[2, 3]",
                               "{\"channel_axis\": 1, \"eps\": 0.001}"),
     "batch_norm_eval 1 0.001"},
    {X("[1, 8]") W("[1, 1, 3]") NODE("conv", "[0, 1]", "[1, 6]"), "conv"},
    {X("[2, 8]") W("[2, 1, 3]")
         LAST("conv", "[0, 1]", "[2, 3]",
              "{\"stride\": 2, \"padding\": 1, \"padding_after\": 0, "
              "\"dilation\": 2, \"groups\": 2}"),
     "conv stride [2] padding [1] padding_after [0] dilation [2] groups 2"},
    {X("[1, 3]") W("[1, 1, 3]") LAST("conv_transpose", "[0, 1]", "[1, 5]",
                                     "{\"stride\": 2, \"padding\": 1}"),
     "conv_transpose stride [2] padding [1]"},
    {X("[4, 4]") LAST("max_pool", "[0]", "[2, 2]", "{\"kernel\": [2, 2]}"),
     "max_pool kernel [2, 2]"},
    {X("[4]") LAST("smooth_max_pool", "[0]", "[4]",
                   "{\"kernel\": [3], \"stride\": 1, \"padding\": 1, "
                   "\"beta\": 2}"),
     "smooth_max_pool kernel [3] stride [1] padding [1] beta 2"},
    {X("[4]") LAST("fft_fno", "[0]", "[3, 2]",
                   "{\"transform\": \"rfft\", \"n\": 4}"),
     "fft_fno rfft 4"},
    {X("[4, 1]") W("[2, 1, 1]")
         LAST("fft_fno", "[0, 1, 1]", "[4, 1]",
              "{\"transform\": \"spectral_conv1d\", \"n\": 4, \"modes\": 2}"),
     "fft_fno spectral_conv1d 4 modes 2"},
    {X("[3, 4]") LAST("scaled_dot_product_attention", "[0, 0, 0]", "[3, 4]",
                      "{\"causal\": true}"),
     "scaled_dot_product_attention scale 0.5 causal"},
    {"{@, \"op\": \"rand_uniform\", \"shape\": [2], \"attrs\": {\"seed\": "
     "\"0xffffffffffffffff\"}}",
     "rand_uniform 18446744073709551615"},
    {X("[2]") ", {@, \"op\": \"input\", \"name\": \"m\", \"shape\": [2], "
              "\"dtype\": \"bool\"}" NODE("hard_masked_softmax", "[0, 1]",
                                          "[2]"),
     "hard_masked_softmax"},
};

START_TEST(kinds_are_described)
{
    check_description(descriptions[_i].nodes, descriptions[_i].expected);
}
END_TEST

START_TEST(descriptions_are_cut)
{
    kc_graph_t *graph =
        graph_of(INPUT_X("[2, 3]") NODE("flatten", "[0]", "[6]"));
    char text[16] = "untouched";
    kci_graph_describe_node(graph, 1, text, 12);
    ck_assert_str_eq(text, "flatten [2,");
    kci_graph_describe_node(graph, 1, text, 1);
    ck_assert_str_eq(text, "");
    kci_graph_describe_node(graph, 1, NULL, 0);
    kci_graph_release(graph);
}
END_TEST

Suite *suite_graph_describe(void)
{
    Suite *suite = suite_create("graph/describe");
    TCase *tcase = tcase_create("describe");
    tcase_add_test(tcase, the_demo_graph_is_described_as_printed);
    tcase_add_loop_test(tcase, kinds_are_described, 0,
                        (int)(sizeof descriptions / sizeof *descriptions));
    tcase_add_test(tcase, descriptions_are_cut);
    suite_add_tcase(suite, tcase);
    return suite;
}
