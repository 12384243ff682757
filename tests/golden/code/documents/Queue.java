package org.example.queue;

import java.util.ArrayDeque;
import java.util.Deque;

import static java.util.Objects.requireNonNull;

/**
 * A queue of tasks.
 *
 * @param <T> what is queued
 */
public final class Queue<T> implements Iterable<T> {
    private final Deque<T> items = new ArrayDeque<>();
    private int limit = 10;

    public Queue() {}

    /** Adds one. */
    @Override
    public synchronized boolean add(T item) {
        requireNonNull(item);
        if (items.size() >= limit) {
            throw new IllegalStateException("full");
        } else {
            items.add(item);
        }
        return true;
    }

    public enum Kind {
        FAST, SLOW;

        Kind other() {
            return this == FAST ? SLOW : FAST;
        }
    }

    private static class Node {
        int value;
        // next one
        Node next;
    }
}
