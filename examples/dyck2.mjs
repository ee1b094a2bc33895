// A model of dyck2 in JavaScript, for `marnn-bench eval --command "node dyck2.mjs"`: it keeps a stack for each string.
//
// Symbols are 0 `(`, 1 `)`, 2 `[`, 3 `]`; an answer is a mask in which bit k is set if symbol k can come next.
import { createInterface } from "node:readline";

let stacks = [];

function step(stack, symbol) {
  if (symbol % 2 === 0) stack.push(symbol);
  else stack.pop();
  return 0b0101 | (stack.length ? 1 << (stack.at(-1) + 1) : 0);
}

function answer(question) {
  if ("load" in question) return { answers: "masks" };
  if ("step" in question) return question.step.map((symbol, string) => step(stacks[string], symbol));
  stacks = Array.from({ length: question.reset }, () => []);
  return null; // dyck2 does not ask about the empty prefix
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + "\n");
}
