"""What a run with a chat model will take, before it is made."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Estimate"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls and tokens of a run, tries again aside.

    Tokens of prompts are counted with the splitter's own tokenizer, cl100k_base if it has none; a
    model of another tokenizer differs by some percent, more in Chinese. Tokens of answers are a
    guess, from what such answers usually have.

    Attributes:
        calls: Calls of the model.
        input_tokens: Tokens of all prompts.
        output_tokens: Tokens of all answers, guessed.
    """

    calls: int
    input_tokens: int
    output_tokens: int

    def cost(self, input_price: float, output_price: float) -> float:
        """Give the cost, in the currency of the prices.

        Args:
            input_price: Price of a million tokens of prompts.
            output_price: Price of a million tokens of answers.

        Example:
            >>> Estimate(2, 3_000, 400).cost(input_price=0.15, output_price=0.60)
            0.00069
        """
        total = self.input_tokens * input_price + self.output_tokens * output_price
        return round(total / 1_000_000, 9)

    def __add__(self, other: Estimate) -> Estimate:
        """Add two, for several texts."""
        return Estimate(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )
