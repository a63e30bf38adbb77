import type { DatabaseSync } from 'node:sqlite'
import { type Filter, mayHold } from './filter.ts'
import { beginMerge, type Merge, mergeable } from './merge.ts'
import { type Key, type Pairs, wordsPerPair } from './pairs.ts'
import { type Runs, runsIn } from './runs.ts'
import type { Run } from './writing.ts'

/** A key is known on its day and the seven days after. */
const daysKnown = 7
/** Keys merged for each that is added. All that is ever to be merged is a few; a day gone by should not take a day. */
const mergedPerAdded = 16
/** Rows cleared away at once: appends wait no longer than these take. */
const clearedAtOnce = 1000

/** The filters of whole runs, by run. They outlive a transaction that failed: a whole run never changes. */
export type Filters = Map<number, Filter>

/** The runs that are known on one day. After a rollback they have to be opened anew. */
export type Known = {
  find(key: Key): number | undefined
  /** Keeps these as a run of that day. */
  keep(day: number, pairs: Pairs): void
  /** Merges some runs, for so many keys that were added. */
  merge(added: number): void
  /** Drops some of what is not known any more. True while there may be more. */
  drop(): boolean
}

type Asked = { run: Run; filter: Filter }
const newestFirst = (one: Run, other: Run) => other.day - one.day || other.run - one.run

function findIn(runs: Runs, asked: readonly Asked[], key: Key): number | undefined {
  for (const { run, filter } of asked) {
    const place = mayHold(filter, key) ? runs.find(run, key) : undefined
    if (place !== undefined) return place
  }
  return undefined
}

/** Days that lie ahead count as known as well: the clock may have been set back. */
export function openKnown(db: DatabaseSync, day: number, filters: Filters): Known {
  const runs = runsIn(db)
  const whole = runs.whole()
  // The runs of a transaction that failed are gone.
  for (const run of filters.keys()) if (!whole.some((each) => each.run === run)) filters.delete(run)
  const isKnown = (run: Run) => run.day >= day - daysKnown
  let gone = whole.filter((run) => !isKnown(run))
  let asked: Asked[] = []
  let merge: Merge | undefined
  let mayMerge = true
  let due = 0

  const ask = (run: Run, filter: Filter) => {
    filters.set(run.run, filter)
    mayMerge = true
    if (isKnown(run)) asked = [...asked, { run, filter }].sort((one, other) => newestFirst(one.run, other.run))
    else gone.push(run)
  }
  const retire = (run: Run) => {
    runs.retire(run)
    filters.delete(run.run)
    asked = asked.filter((each) => each.run !== run)
  }
  const begin = () => {
    const all = asked.map(({ run }) => run)
    const sources = mayMerge ? mergeable(all, day) : undefined
    mayMerge = sources !== undefined
    return sources && beginMerge(runs, sources)
  }
  const end = ({ sources, into, end }: Merge) => {
    for (const run of sources) retire(run)
    ask(into, end())
    merge = undefined
  }
  for (const run of whole.filter(isKnown)) ask(run, filters.get(run.run) ?? runs.filterOf(run))
  return {
    find: (key) => findIn(runs, asked, key),
    keep(day, pairs) {
      const writing = runs.begin({ day, level: 0, keys: pairs.length / wordsPerPair })
      writing.put(pairs, 2 ** writing.run.bits)
      ask(writing.run, writing.end())
    },
    merge(added) {
      for (due += added * mergedPerAdded; due > 0; ) {
        merge ??= begin()
        if (!merge) due = 0
        else due -= merge.step()
        if (merge?.isDone()) end(merge)
      }
    },
    drop() {
      for (const run of gone) retire(run)
      gone = []
      return runs.clear(clearedAtOnce, merge?.into)
    },
  }
}
