import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { leaseQueue } from './leaseQueue.ts'
import type { ReadResult, SlotCursor, TodoRow } from './slotCursors.ts'

const slots = [1, 2]
const ownerOf = () => ''

/** A model of the database: transactions that store records, and reads that see the committed ones. */
function openModel() {
  const rows: TodoRow[] = []
  const open = new Map<number, TodoRow[]>()
  let [nextXid, nextPosition] = [100, 1]
  const isBehind = (row: TodoRow, { xid, position }: SlotCursor) =>
    row.xid > xid || (row.xid === xid && row.position > position)
  return {
    begin(slot: number, count: number) {
      const xid = nextXid++
      const own = Array.from({ length: count }, () => ({ position: nextPosition++ }))
      open.set(
        xid,
        own.map(({ position }) => ({ slot, xid, position, tag: 'tag_1', events: 1, bytes: 1 })),
      )
    },
    commit(which: number) {
      const xid = [...open.keys()][which % Math.max(1, open.size)]
      if (xid === undefined) return
      rows.push(...open.get(xid)!)
      open.delete(xid)
    },
    isOpen: () => open.size > 0,
    count: () => nextPosition - 1,
    settle(positions: readonly number[]) {
      for (const position of positions) {
        const index = rows.findIndex((row) => row.position === position)
        if (index >= 0) rows.splice(index, 1)
      }
    },
    read(cursors: readonly SlotCursor[], limit: number): ReadResult {
      const found = cursors.flatMap((cursor) =>
        rows
          .filter((row) => row.slot === cursor.slot && isBehind(row, cursor))
          .sort((one, other) => one.xid - other.xid || one.position - other.position)
          .slice(0, limit),
      )
      return { cursors, rows: found, xmin: Math.min(nextXid, ...open.keys()), xmax: nextXid, limit }
    },
  }
}

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ begin: fc.constantFrom(...slots), count: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 5, arbitrary: fc.record({ commit: fc.nat(5) }) },
  { weight: 5, arbitrary: fc.record({ read: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 5, arbitrary: fc.record({ lease: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.constant({ restart: true }) },
)

test('each record is leased once, in whatever order transactions end and however much a read returns', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const model = openModel()
      const queue = leaseQueue()
      queue.setSlots(slots)
      const leased: number[] = []
      const read = (limit: number) => {
        queue.readBegins()
        return queue.add(model.read(queue.cursors(), limit), ownerOf)
      }
      const lease = () => {
        const record = queue.next()
        if (!record) return false
        leased.push(record.position)
        model.settle([record.position])
        queue.settled([record.position])
        return true
      }
      for (const each of steps)
        if ('begin' in each) model.begin(each.begin, each.count)
        else if ('commit' in each) model.commit(each.commit)
        else if ('read' in each) read(each.read)
        else if ('lease' in each) for (let n = 0; n < each.lease && lease(); n++);
        else queue.restart()
      while (model.isOpen()) model.commit(0)
      while (read(2).length > 0);
      while (lease());
      const all = Array.from({ length: model.count() }, (_, index) => index + 1)
      assert.deepEqual(
        leased.toSorted((one, other) => one - other),
        all,
      )
    }),
    { numRuns: 1_000 },
  )
})

const row = (position: number, slot = 1): TodoRow => ({ slot, xid: 10, position, tag: 't', events: 1, bytes: 1 })
const result = (cursors: readonly SlotCursor[], rows: readonly TodoRow[]): ReadResult => {
  return { cursors, rows, xmin: 20, xmax: 20, limit: 100 }
}
const leaseAll = (queue: ReturnType<typeof leaseQueue>) => {
  const positions: number[] = []
  for (let next = queue.next(); next; next = queue.next()) positions.push(next.position)
  return positions
}

test('a read that began before its slot was lost and gained again neither adds records nor moves the cursor', () => {
  const queue = leaseQueue()
  queue.gain([1])
  const old = queue.cursors()
  queue.forget([1])
  queue.gain([1])
  queue.add(result(old, [row(1)]), ownerOf)
  assert.deepEqual(leaseAll(queue), [])
  assert.deepEqual(
    queue.cursors().map(({ xid }) => xid),
    [0],
  )
})

test('a settled record that a read of before still returns is not leased again', () => {
  const queue = leaseQueue()
  queue.gain([1])
  const read = () => queue.add(result(queue.cursors(), [row(1)]), ownerOf)
  read()
  assert.deepEqual(leaseAll(queue), [1])
  queue.readBegins()
  queue.settled([1])
  read()
  assert.deepEqual(leaseAll(queue), [])
  queue.readBegins()
  assert.equal(queue.known(1), undefined)
})

test('records that could not be read are leased again in their order, before those that came later', () => {
  const queue = leaseQueue()
  queue.gain([1, 2])
  queue.add(result(queue.cursors(), [row(1), row(2), row(3), row(4, 2)]), ownerOf)
  queue.release([queue.next()!, queue.next()!])
  queue.add(result(queue.cursors(), [row(1), row(2), row(3), row(4, 2), row(5)]), ownerOf)
  assert.deepEqual(leaseAll(queue), [4, 1, 2, 3, 5])
})

test('a record may be planned if its transaction began before its slot was gained, or on another server', () => {
  const queue = leaseQueue()
  queue.gain([1], 15)
  const rows = [10, 14, 15, 19, 20].map((xid, index) => ({ ...row(index + 1), xid }))
  queue.add(result(queue.cursors(), rows), ownerOf)
  const flags: boolean[] = []
  for (let next = queue.next(); next; next = queue.next()) flags.push(next.mayBePlanned)
  assert.deepEqual(flags, [true, true, false, false, true])
})

test('no more records of a slot are read while a thousand wait', () => {
  const queue = leaseQueue()
  queue.gain([1, 2])
  const rows = Array.from({ length: 1_000 }, (_, index) => row(index + 1))
  queue.add({ ...result(queue.cursors(), rows), limit: 1_000 }, ownerOf)
  assert.deepEqual(
    queue.cursors().map(({ slot }) => slot),
    [2],
  )
  queue.next()
  assert.equal(queue.cursors().length, 2)
})
