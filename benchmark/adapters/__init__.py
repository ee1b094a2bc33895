"""Models of any kind behind the calls of a model file: torch modules, causal language models, programs, endpoints, files of answers."""
