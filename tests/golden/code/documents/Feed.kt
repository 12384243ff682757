package org.example

import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.map

/** One entry. */
data class Entry(val id: Int, val title: String)

class Feed(private val source: Source) {
    private val seen = mutableSetOf<Int>()

    /** New entries only. */
    fun fresh(): Flow<List<Entry>> = source.entries().map { all ->
        all.filter { entry ->
            seen.add(entry.id)
        }
    }

    suspend fun reload(force: Boolean = false) {
        if (force) {
            seen.clear()
        }
        source.reload()
    }

    companion object {
        const val LIMIT = 20
        fun empty() = Feed(Source.Empty)
    }
}

fun Entry.short() = title.take(10)
