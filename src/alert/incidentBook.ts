import { type IncidentRecord, isActive } from '#store/incidents.ts'
import type { Store } from '#store/store.ts'

/**
 * The active incidents, in the memory of the one process that watches. Changes are written in groups and retried, so
 * that a sent message is not forgotten.
 */
export type IncidentBook = {
  /** Reads the incidents that the previous process left. */
  load(): Promise<void>
  /** Drops all incidents, because another process now watches. */
  clear(): void
  isLoaded(): boolean
  all(): Iterable<IncidentRecord>
  get(incidentId: string): IncidentRecord | undefined
  /** True if its last state is on disk. */
  isWritten(incidentId: string): boolean
  /** `isMinor`: this change can be written later. */
  put(incident: IncidentRecord, isMinor?: boolean): void
  flush(): Promise<void>
}

const writtenAtOnce = 500
/** The time of the last event changes constantly, so it is written only this often. */
const minorWriteMs = 300_000

export function openIncidentBook({ store }: { store: Pick<Store, 'write' | 'incidents'> }): IncidentBook {
  const incidents = new Map<string, IncidentRecord>()
  const unwritten = new Set<string>()
  const writtenLastAt = new Map<string, number>()
  let loaded = false
  let writing: Promise<void> | undefined

  function forgetEnded(incident: IncidentRecord): void {
    if (isActive(incident) || incidents.get(incident.incidentId) !== incident) return
    incidents.delete(incident.incidentId)
    writtenLastAt.delete(incident.incidentId)
  }
  async function writeAll(): Promise<void> {
    while (unwritten.size > 0) {
      const rows = [...unwritten].slice(0, writtenAtOnce).flatMap((id) => incidents.get(id) ?? [])
      if (rows.length === 0) return unwritten.clear()
      await store.write(rows.map((row) => ({ alerting: { put: 'incident', row } })))
      for (const row of rows) {
        writtenLastAt.set(row.incidentId, row.lastAt)
        // It may have changed meanwhile.
        if (incidents.get(row.incidentId) === row) unwritten.delete(row.incidentId)
        forgetEnded(row)
      }
    }
  }
  return {
    async load() {
      for (const each of await store.incidents.active()) {
        incidents.set(each.incidentId, each)
        writtenLastAt.set(each.incidentId, each.lastAt)
      }
      loaded = true
    },
    clear() {
      incidents.clear()
      unwritten.clear()
      writtenLastAt.clear()
      loaded = false
    },
    isLoaded: () => loaded,
    all: () => incidents.values(),
    get: (incidentId) => incidents.get(incidentId),
    isWritten: (incidentId) => !unwritten.has(incidentId),
    put(incident, isMinor = false) {
      incidents.set(incident.incidentId, incident)
      const written = writtenLastAt.get(incident.incidentId) ?? Number.NEGATIVE_INFINITY
      if (!isMinor || incident.lastAt >= written + minorWriteMs) unwritten.add(incident.incidentId)
    },
    async flush() {
      while (writing) await writing.catch(() => {})
      writing = writeAll().finally(() => {
        writing = undefined
      })
      await writing
    },
  }
}
