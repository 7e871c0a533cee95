/* SPDX-License-Identifier: Apache-2.0
 *
 * Every option of every command. The man pages are compared with it.
 */
#include "cli/options.h"

#define ON(id)   (1u << (id))
#define PLANNING (ON(CLI_PLAN) | ON(CLI_CHECK) | ON(CLI_RUN))
#define SEARCHING                                                              \
    (PLANNING | ON(CLI_DIFF) | ON(CLI_MODULES) | ON(CLI_INSPECT) |             \
     ON(CLI_PROFILES) | ON(CLI_DOCTOR) | ON(CLI_PROBE))
#define REPORTING                                                              \
    (PLANNING | ON(CLI_DIFF) | ON(CLI_MODULES) | ON(CLI_INSPECT) |             \
     ON(CLI_OPS) | ON(CLI_PROFILES) | ON(CLI_DOCTOR))

#define FLAG(name, field, commands, help)                                      \
    {                                                                          \
        name, NULL, help, commands, offsetof(cli_options_t, field), CLI_FLAG,  \
            0                                                                  \
    }
#define TEXT(name, argument, field, commands, help)                            \
    {                                                                          \
        name, argument, help, commands, offsetof(cli_options_t, field),        \
            CLI_TEXT, 0                                                        \
    }
#define LIST(name, argument, field, commands, help)                            \
    {                                                                          \
        name, argument, help, commands, offsetof(cli_options_t, field),        \
            CLI_LIST, 0                                                        \
    }

const cli_option_t cli_option_table[] = {
    {"profile", "PROFILE",
     "a maintained name, a name on the profile path, a file", PLANNING,
     offsetof(cli_options_t, profile), CLI_TEXT, 'p'},
    {"profile", "PROFILE", "given twice: the two that are compared",
     ON(CLI_DIFF), offsetof(cli_options_t, profiles), CLI_LIST, 'p'},
    TEXT("graph", "FILE", graph, ON(CLI_PLAN) | ON(CLI_CHECK),
         "plan the nodes of this graph, not a list of operations"),
    TEXT("graph", "FILE", graph, ON(CLI_RUN), "the graph to run"),
    TEXT("graph", "FILE", graph, ON(CLI_DIFF),
         "the graph to run, not a single operation"),
    LIST("shape", "DIMS", shapes, ON(CLI_DIFF),
         "of an operand of OP, in their order: 2,3, or scalar"),
    TEXT("attr", "JSON", attributes, ON(CLI_DIFF),
         "attributes of OP, as in graph files"),
    TEXT("dtype", "TYPE", dtype, ON(CLI_DIFF),
         "f32 (default) or f64: element type of OP's operands"),
    FLAG("gradients", wants_gradients, ON(CLI_DIFF),
         "also backward: the gradient of every node"),
    TEXT("seed", "N", seed, ON(CLI_DIFF),
         "of the values that no file gives (default 1)"),

    FLAG("explain", view_explain, ON(CLI_PLAN),
         "every candidate, with the first filter it failed"),
    FLAG("names", view_names, ON(CLI_PLAN), "the chosen capsules in one line"),
    FLAG("groups", view_groups, ON(CLI_PLAN),
         "a line a group of adjacent nodes of one capsule"),
    FLAG("full", view_full, ON(CLI_PLAN),
         "provider, trust, reduction, the four obligations, and\n"
         "who owns the backward"),
    FLAG("verbose", is_verbose, ON(CLI_MODULES),
         "also the folders searched, and each file's hash"),

    TEXT("weights", "FILE", weights, ON(CLI_RUN) | ON(CLI_DIFF),
         "safetensors file with the values of const nodes"),
    LIST("input", "NAME=FILE", inputs, ON(CLI_RUN) | ON(CLI_DIFF),
         "npy file with the value of an input; once an input"),
    LIST("output", "NAME=FILE", outputs, ON(CLI_RUN),
         "write an output to an npy file"),
    LIST("labels", "NAME=FILE", labels, ON(CLI_RUN),
         "count the rows of an output whose largest entry is\n"
         "where this npy file of integers says"),
    LIST("bind", "NAME=NUMBER", bindings, ON(CLI_RUN) | ON(CLI_DIFF),
         "the value of a named extent (default: the inputs')"),
    TEXT("mode", "MODE", mode, ON(CLI_RUN),
         "eager (default): operation by operation;\n"
         "graph: the whole accepted plan, buffers laid out"),
    TEXT("threads", "N", threads, ON(CLI_RUN) | ON(CLI_DIFF),
         "threads to compute with (default: the profile's, else\n"
         "one a processor)"),
    FLAG("no-reuse", no_reuse, ON(CLI_RUN),
         "every value in memory of its own (--mode graph only)"),
    FLAG("time", keep_time, ON(CLI_RUN),
         "measure, and add times to summary and record"),
    TEXT("record", "FILE", record, ON(CLI_RUN),
         "write what really ran to a JSON file"),

    TEXT("assurance", "POLICY", assurance, ON(CLI_PLAN) | ON(CLI_RUN),
         "checked, external or attested, not the profile's"),
    TEXT("assurance", "POLICY", assurance, ON(CLI_CHECK),
         "classify the obligations under checked, external or\n"
         "attested; what is planned stays the same"),
    TEXT("device", "DEVICE", device, PLANNING,
         "cpu, cuda, ..., not the profile's; auto is cpu"),
    TEXT("provider", "PREF", provider, PLANNING,
         "auto, prefer:P or only:P, not the profile's"),
    TEXT("vjp", "MODE", vjp, ON(CLI_PLAN) | ON(CLI_CHECK),
         "none, torchlean-tape or backend-vjp, not the profile's"),
    TEXT("vjp", "MODE", vjp, ON(CLI_RUN),
         "only none: a run computes no gradients"),
    LIST("module", "FILE", modules, PLANNING | ON(CLI_DIFF),
         "this module file's capsules come before all others"),
    LIST("module-path", "DIR", module_paths, SEARCHING,
         "search this folder for modules first"),
    TEXT("format", "FORMAT", format_name, REPORTING, "text (default) or json"),
    {"help", NULL, "print this text", ~0u, offsetof(cli_options_t, wants_help),
     CLI_FLAG, 'h'},
};

const size_t cli_option_count =
    sizeof cli_option_table / sizeof cli_option_table[0];
