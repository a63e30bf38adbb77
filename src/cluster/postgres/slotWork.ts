import type { Log } from '#kit/log.ts'
import { logFailureOnce } from '#kit/logFailureOnce.ts'
import type { Meter } from '#kit/meter.ts'
import type { Database } from '#postgres/database.ts'
import { OwnershipLost, ownerTransaction } from '#postgres/ownership.ts'
import type { SlotWorker, StartSlotWorker } from '../cluster.ts'
import { slotCount } from '../slotOf.ts'
import type { ProcessMembership } from './membership.ts'
import { openWorkerSlots, type WorkerSlots } from './workerSlots.ts'

type SlotWorkDeps = {
  database: Database
  membership: ProcessMembership
  log: Log
  meter: Meter
  start: StartSlotWorker
}

type Running = WorkerSlots & { worker: SlotWorker; readIsDue: boolean }

const freeSlot = 'owner IS NULL OR NOT EXISTS (SELECT 1 FROM member WHERE member.id = slot.owner)'

/** Reads the owned slots again after an error, because a commit with a lost answer may have taken some. */
async function readOwned({ owned, ownership }: Running, database: Database): Promise<void> {
  const rows = await database.sql<{ no: number }>('SELECT no FROM slot WHERE owner = $1', [ownership.memberId])
  owned.clear()
  for (const { no } of rows) owned.add(no)
}

async function take(count: number, { owned, ownership }: Running, database: Database): Promise<number> {
  const free = await database.sql(`SELECT 1 FROM slot WHERE ${freeSlot} LIMIT 1`)
  if (free.length === 0) return 0 // without a transaction: shares are rounded up, so the last worker always asks for more slots than there are
  const taken = await ownerTransaction(database, ownership, (sql) =>
    sql<{ no: number }>(
      `UPDATE slot SET owner = $1 WHERE no IN
         (SELECT no FROM slot WHERE ${freeSlot} ORDER BY no LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING no`,
      [ownership.memberId, count],
    ),
  )
  for (const { no } of taken) owned.add(no)
  return taken.length
}

async function giveBack(slots: readonly number[], { owned, ownership }: Running, database: Database): Promise<void> {
  await database.sql('UPDATE slot SET owner = NULL WHERE no = ANY($1) AND owner = $2', [slots, ownership.memberId])
  for (const slot of slots) owned.delete(slot)
}

/** Lets the worker use the slots that it owns. */
async function useOwned(running: Running, log: Log): Promise<void> {
  const slots = running.unusable()
  if (slots.length === 0) return
  await running.worker.gained(slots)
  if (running.isLost()) return
  running.use(slots)
  running.worker.changed(slots)
  log({ message: 'acquired slots', slots: slots.length, owned: running.owned.size })
}

async function release(slots: readonly number[], running: Running, { database, log }: SlotWorkDeps): Promise<void> {
  running.disuse(slots)
  await running.worker.release(slots)
  if (running.isLost()) return
  await giveBack(slots, running, database)
  log({ message: 'released slots', slots: slots.length, owned: running.owned.size })
}

const balanceTexts = {
  failed: 'could not acquire or release slots',
  again: 'acquiring and releasing slots works again',
}

/** The slots of this process, and the worker that works on them. */
export function openSlotWork(deps: SlotWorkDeps) {
  const { database, membership, log, meter, start } = deps
  const taken = meter.counter('aglet_slots_taken_total', 'Slots that this process has taken.')
  let running: Running | undefined
  let balancing: Promise<void> | undefined
  let isStopping = false
  const runLogged = logFailureOnce(log, balanceTexts)

  function end(ended: Running): void {
    if (ended.isLost()) return
    ended.markLost()
    if (running === ended) running = undefined
    log({ level: 'warn', message: 'this worker lost its lease', id: ended.ownership.memberId })
    ended.worker.lost()
  }
  async function begin(): Promise<Running> {
    const slots = openWorkerSlots(membership, () => end(started))
    const worker = await start(slots.ownership)
    const started: Running = { ...slots, worker, readIsDue: false }
    return started
  }
  async function balanceOnce(): Promise<void> {
    running ??= await begin()
    const mine = running
    try {
      if (mine.readIsDue) await readOwned(mine, database)
      mine.readIsDue = false
      const surplus = mine.owned.size - Math.ceil(slotCount / membership.count('worker'))
      if (surplus > 0) return await release([...mine.owned].slice(-surplus), mine, deps)
      if (surplus < 0) taken.add(await take(-surplus, mine, database))
      await useOwned(mine, log)
    } catch (error) {
      mine.readIsDue = true
      if (error instanceof OwnershipLost) end(mine)
      throw error
    }
  }
  /** Takes free slots up to the share of this process, or releases those above it. Resolves when that is done. */
  function balance(): Promise<void> {
    if (isStopping) return Promise.resolve()
    balancing ??= runLogged(balanceOnce).finally(() => {
      balancing = undefined
    })
    return balancing
  }
  return {
    balance,
    /** The number of slots of this process. */
    owned: () => running?.owned.size ?? 0,
    /** The lease is lost: the worker is abandoned, and the next `balance` starts a new one. */
    lost: () => void (running && end(running)),
    /** Stops the worker and releases its slots. */
    async stop() {
      isStopping = true
      await running?.worker.stop()
      await balancing
      if (running) await giveBack([...running.owned], running, database)
    },
  }
}

export type SlotWork = ReturnType<typeof openSlotWork>
