import { fault } from '#contract/fault.ts'
import type { Revision } from '#contract/revision.ts'
import type { RecordRevision } from '#store/store.ts'

/** Throws changedMeanwhile, with the current revision, if a write names another version than the saved one. */
export function refuseStale({ version, updatedAt, updatedBy }: RecordRevision, ifMatch: number | undefined): void {
  if (ifMatch === undefined || ifMatch === version) return
  throw fault('changedMeanwhile', { attributes: { version, updatedAt, updatedBy } })
}

/** The revision of the next save, by a token, a person or the server. */
export const nextRevision = ({ version }: RecordRevision, by: string, nowMs: number): Required<RecordRevision> => ({
  version: version + 1,
  updatedAt: nowMs,
  updatedBy: by,
})

/** The revision of a record as the API shows it. */
export const showRevision = (record: RecordRevision & { createdAt: number }): Revision => ({
  version: record.version,
  updatedAt: record.updatedAt ?? record.createdAt,
  ...(record.updatedBy !== undefined && { updatedBy: record.updatedBy }),
})
