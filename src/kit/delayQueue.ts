/**
 * Calls `work` with each added item, in order, at least `ms` after it was added. All items share one timer: a timer for each
 * would cost more than most work.
 */
export function createDelayQueue<Item>(ms: number, work: (item: Item) => void): (item: Item) => void {
  const waiting: { item: Item; dueAt: number }[] = []
  function run(): void {
    const now = performance.now()
    const next = waiting.findIndex(({ dueAt }) => dueAt > now)
    const due = waiting.splice(0, next === -1 ? waiting.length : next)
    if (waiting[0]) setTimeout(run, waiting[0].dueAt - now)
    for (const { item } of due) work(item)
  }
  return (item) => {
    waiting.push({ item, dueAt: performance.now() + ms })
    if (waiting.length === 1) setTimeout(run, ms)
  }
}
