import React, { useState } from "react";
import type { Card } from "./card";

/** What a board needs. */
export interface Props<T extends Card> {
  cards: T[];
  onMove?: (card: T, to: number) => void;
}

type Order = "up" | "down";

const byTitle = (a: Card, b: Card): number => {
  if (a.title < b.title) return -1;
  return a.title > b.title ? 1 : 0;
};

/**
 * Shows cards in columns.
 */
export default function Board<T extends Card>({ cards, onMove }: Props<T>) {
  const [order, setOrder] = useState<Order>("up");
  const sorted = [...cards].sort(byTitle);

  function flip() {
    setOrder(order === "up" ? "down" : "up");
  }

  return (
    <section className="board">
      <button onClick={flip}>{order}</button>
      <ul>
        {sorted.map((card) => (
          <li key={card.id} onClick={() => onMove?.(card, 1)}>
            {card.title}
          </li>
        ))}
      </ul>
    </section>
  );
}

@observer
export class Store {
  private cards: Card[] = [];

  add = (card: Card) => {
    this.cards.push(card);
  };

  /** Removes one. */
  @action
  remove(id: string): boolean {
    const at = this.cards.findIndex((card) => card.id === id);
    if (at < 0) {
      return false;
    } else {
      this.cards.splice(at, 1);
    }
    return true;
  }
}
