/* A model of dyck2 in C, for `marnn-bench eval --command ./dyck2`: it keeps a stack for each string.
 *
 *     cc -O2 -o dyck2 dyck2.c
 *
 * Symbols are 0 `(`, 1 `)`, 2 `[`, 3 `]`; an answer is a mask in which bit k is set if symbol k can come next. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_OPEN 4096

typedef struct { int depth; char open[MOST_OPEN]; } Stack;

static unsigned mask(const Stack *stack) {
    unsigned opening = 1u << 0 | 1u << 2;
    return stack->depth ? opening | 1u << (stack->open[stack->depth - 1] + 1) : opening;
}

static void push_or_pop(Stack *stack, long symbol) {
    if (symbol % 2 == 0 && stack->depth < MOST_OPEN) stack->open[stack->depth++] = (char)symbol;
    else if (symbol % 2 == 1 && stack->depth > 0) stack->depth--;
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    Stack *stacks = NULL;
    while (getline(&line, &room, stdin) > 0) {
        char *place = strchr(line, ':') + 1;
        if (strncmp(line, "{\"load\"", 7) == 0) {
            puts("{\"answers\": \"masks\"}");
        } else if (strncmp(line, "{\"reset\"", 8) == 0) {
            free(stacks);
            stacks = calloc((size_t)strtol(place, NULL, 10), sizeof *stacks);
            puts("null"); /* dyck2 does not ask about the empty prefix */
        } else {
            char *end, separator = '[';
            for (Stack *stack = stacks; (place = strpbrk(place, "[,")) != NULL; stack++, separator = ',') {
                push_or_pop(stack, strtol(place + 1, &end, 10));
                printf("%c%u", separator, mask(stack));
                place = end;
            }
            puts("]");
        }
        fflush(stdout);
    }
    return 0;
}
