import type { Clock } from '#kit/clock.ts'
import { gather, type Waiting } from '#kit/gather.ts'
import { openReader } from '#kit/sqlite.ts'
import { startThread } from '#kit/thread.ts'
import { turns } from '#kit/turns.ts'
import type { Answer, Ask } from './sqlite/groups.ts'
import { eventAt } from './sqlite/keys.ts'
import { bodiesOf, openLeases } from './sqlite/leases.ts'
import { answersOf, type Packed, pack, spareOf, weightOf } from './sqlite/pack.ts'
import { waitingIn } from './sqlite/standing.ts'
import { trimming } from './sqlite/trimming.ts'
import type { Entry, Stream } from './stream.ts'

type Unit = { entry: Entry } | { settled: readonly number[] }
type Group = readonly Waiting<Unit, readonly boolean[]>[]

const eventsPerBody = 500
const groupBytes = 16 * 1024 * 1024

const weigh = (unit: Unit) => ('entry' in unit ? weightOf(unit.entry) : unit.settled.length * 8)

/** Hands a group to the thread, and its answers to those who wait. */
function writing(ask: (ask: Ask) => Promise<Answer>, clock: Clock) {
  let spare: Packed | undefined
  return async (group: Group) => {
    const entries = group.flatMap(({ unit }) => ('entry' in unit ? [unit.entry] : []))
    const settled = group.flatMap(({ unit }) => ('settled' in unit ? unit.settled : []))
    const packed = pack(entries, spare)
    spare = undefined
    const answer = await ask({ nowMs: clock.now(), entries: packed, settled })
    const fresh = answersOf(answer.entries!, entries)
    spare = spareOf(answer.entries!)
    let next = 0
    for (const { unit, resolve } of group) resolve('entry' in unit ? fresh[next++]! : [])
  }
}

/** Throws a RangeError for too many events, and for other keys that do not match the keys. */
function checkEntry({ keys, others }: Entry): void {
  if (keys.length > eventsPerBody) throw new RangeError(`a body has at most ${eventsPerBody} events`)
  if (others && others.length !== keys.length) throw new RangeError('an entry has one other key for each key, or none')
}

/** The embedded stream, in one file of its own. Throws a sentence when the file cannot be used. */
export async function openSqliteStream(path: string, clock: Clock): Promise<Stream> {
  const thread = await startThread<Ask, Answer>(new URL('./sqlite/thread.ts', import.meta.url), path)
  const db = openReader(path)
  const bodies = bodiesOf(db)
  const leases = openLeases(db)
  let closed = false
  let rewritten = 0
  const inTurn = turns()

  const ask = async (message: Ask) => {
    const answer = await thread.ask(message, 'entries' in message ? [message.entries] : [])
    leases.moved(answer.standing)
    return answer
  }
  const written = gather(writing(ask, clock), { limit: groupBytes, weigh })

  return {
    async append(entry) {
      checkEntry(entry)
      return written.add({ entry })
    },
    lease: leases.lease,
    async settle(positions) {
      if (positions.length > 0) await written.add({ settled: positions })
    },
    read: async (position) => bodies.any(position),
    async find(key) {
      const { place } = await ask({ nowMs: clock.now(), find: BigInt.asIntN(64, key) })
      return place === undefined ? undefined : eventAt(place)
    },
    rewrite: (position, change) =>
      inTurn('rewrite', async () => {
        const body = bodies.any(position)
        if (!body) return
        await ask({ nowMs: clock.now(), rewrite: position, payload: change(body.payload) })
        rewritten++
      }),
    rewritten: () => rewritten,
    last: () => leases.standing().last,
    waiting: () => waitingIn(leases.standing()),
    async trim(beforeMs, spare) {
      const dropBeforeMs = spare?.lastMs ?? beforeMs
      while (!closed && (await ask({ nowMs: clock.now(), dropBeforeMs })).more);
      const drop = async (positions: readonly number[]) => {
        if (!closed && positions.length > 0) await ask({ nowMs: clock.now(), drop: positions })
        return !closed
      }
      if (spare) await trimming(db, beforeMs, spare, drop)
    },
    async close() {
      closed = true
      leases.close()
      await written.close()
      // The thread's connection goes last: it then copies its log into the file and takes it away.
      if (db.isOpen) db.close()
      await thread.close()
    },
  }
}
