"""The networks of Mali et al. 2019 for one string, sum by sum. Weights are [outputs, inputs]: rows and columns of ours exchanged."""

import torch

from helpers.agreement import Literal


def second_order_rnn(hidden: int) -> Literal:
    def answers(w, ids, noise):
        matrices = w["input.weight"].T.view(-1, hidden, hidden)  # symbol, from, to
        h, found = torch.eye(hidden, dtype=torch.float64)[0], []
        for k in ids.tolist():
            sums = [sum(h[i] * matrices[k, i, j] for i in range(hidden)) for j in range(hidden)]
            h = torch.sigmoid(torch.stack(sums) + w["bias.weight"][:, 0])
            found.append(torch.sigmoid(w["output.weight"] @ h + w["output.bias"]))
        return torch.stack(found)

    return answers


def peephole_lstm(w, ids, noise):
    hidden = w["hidden.weight"].shape[1]
    h = c = torch.zeros(hidden, dtype=torch.float64)
    p_i, p_f, p_o = w["peephole.weight"][:, 0].split(hidden)
    found = []
    for k in ids.tolist():
        z = w["input.weight"][:, k] + w["input.bias"] + w["hidden.weight"] @ h + w["hidden.bias"]
        i, f, g, o = z.split(hidden)
        new = torch.sigmoid(f + p_f * c) * c + torch.sigmoid(i + p_i * c) * torch.tanh(g)
        h, c = torch.sigmoid(o + p_o * new) * torch.tanh(new), new
        found.append(torch.sigmoid(w["output.weight"] @ h + w["output.bias"]))
    return torch.stack(found)


def multiplicative_rnn(w, ids, noise):
    h = torch.zeros(w["hidden.weight"].shape[1], dtype=torch.float64)
    alpha, beta_x, beta_h = w["integrate.weight"].T
    found = []
    for k in ids.tolist():
        x, u = w["input.weight"][:, k], w["hidden.weight"] @ h
        h = torch.tanh(alpha * x * u + beta_x * x + beta_h * u + w["integrate.bias"])
        found.append(torch.sigmoid(w["output.weight"] @ h + w["output.bias"]))
    return torch.stack(found)


def nnpda(hidden: int) -> Literal:
    """Third order; the stack is a list of strengths of symbols."""

    def answers(w, ids, noise):
        symbols = w["weights.weight"].shape[1]
        weights = w["weights.weight"].T.view(symbols, 1 + symbols, hidden, hidden + 1)
        h, stack, below = torch.eye(hidden, dtype=torch.float64)[0], [], torch.zeros((), dtype=torch.float64)
        found = []
        for k in ids.tolist():
            r, left = (
                [torch.zeros((), dtype=torch.float64)] * (1 + symbols),
                torch.ones((), dtype=torch.float64),
            )
            for symbol, strength in reversed(stack):
                part = torch.minimum(strength, left)
                r[1 + symbol], left = r[1 + symbol] + part, left - part
            r[0] = left
            z = sum(r[m] * h[i] * weights[k, m, i] for m in range(1 + symbols) for i in range(hidden))
            h, a = torch.sigmoid(z[:-1] + w["bias"]), z[-1].clamp(-1, 1)
            if a > 0:
                stack = [*stack, (k, a)]
            else:
                to_pop, kept = -a, []
                for symbol, strength in reversed(stack):
                    part = torch.minimum(strength, to_pop)
                    kept, to_pop = [(symbol, strength - part), *kept], to_pop - part
                stack, below = kept, below + to_pop
            left_over = sum((strength for _, strength in stack), below)
            found.append(torch.sigmoid(w["output.weight"] @ h + w["output.bias"]) * torch.exp(-left_over))
        return torch.stack(found)

    return answers


def nspda(hidden: int, quantised: bool, end: bool, predictions: int = 1) -> Literal:
    """Third order, forward only; of several predictions a step the last ones."""

    def step(weights, bias, h, k, top):
        z = sum(h[i] * weights[k, top, i] for i in range(hidden))
        new = (z[:-1] + bias >= 0).double() if quantised else torch.sigmoid(z[:-1] + bias)
        return new, z[-1].item()

    def answers(w, ids, noise):
        inputs = w["weights.weight"].shape[1]
        symbols = inputs - end
        weights = w["weights.weight"].T.view(inputs, 1 + symbols, hidden, hidden + 1)
        h, stack, found = torch.eye(hidden, dtype=torch.float64)[0], [], []
        for k in ids.tolist():
            top = 1 + stack[-1] if stack else 0
            h, a = step(weights, w["bias"], h, k, top)
            for _ in range(predictions - 1):
                h, _ = step(weights, w["bias"], h, k, top)
            if a > 0.5:
                stack.append(k)
            elif a < -0.5 and stack:
                stack.pop()
            last = step(weights, w["bias"], h, symbols, 1 + stack[-1] if stack else 0)[0] if end else h
            found.append(torch.sigmoid(w["output.weight"] @ last + w["output.bias"]))
        return torch.stack(found)

    return answers
