import { isPartHash, joinParts, readPart } from '#store/snapshotParts.ts'
import type { ControlStore, DeploymentEntry, DeploymentRecord } from '#store/store.ts'
import type { Dialect } from './dialect.ts'
import { readPageOf } from './page.ts'
import type { SqlReads, SqlRow } from './sql.ts'
import { deployment } from './tables.ts'

type DeploymentReads = Pick<ControlStore, 'deployment' | 'deploymentAt' | 'history' | 'deployments' | 'snapshotParts'>
type PartValues = ReadonlyMap<string, ReturnType<typeof readPart>>

const selectDeployments = 'SELECT * FROM deployment WHERE tag = ?'
const newest = 'ORDER BY number DESC LIMIT 1'
const selectNewest =
  'SELECT * FROM deployment JOIN (SELECT tag, max(number) AS number FROM deployment GROUP BY tag) AS newest USING (tag, number)'

const isComplete = ({ parts }: DeploymentEntry, values: PartValues) => parts.every((hash) => values.has(hash))

const readParts = (rows: readonly SqlRow[]): PartValues =>
  new Map(rows.map(({ hash, body }) => [String(hash), readPart({ hash: String(hash), body: String(body) })]))

function toRecord({ parts, ...entry }: DeploymentEntry, values: PartValues): DeploymentRecord {
  return { ...entry, snapshot: joinParts({ ...entry, parts }, values) }
}

/** Reads deployments, whose snapshots consist of parts. */
export function deploymentReads(reads: SqlReads, { elements }: Dialect): DeploymentReads {
  const selectParts = `SELECT hash, body FROM snapshot_part WHERE tag = ? AND hash IN (${elements('?')})`
  const selectNewestParts = `
    SELECT snapshot_part.tag, hash, body FROM (${selectNewest}) AS live JOIN snapshot_part
    ON snapshot_part.tag = live.tag AND hash IN (${elements('live.parts')})`
  const snapshotParts = async (tagId: string, hashes: readonly string[]) =>
    readParts(await reads.all(selectParts, tagId, JSON.stringify(hashes.filter(isPartHash))))

  /** The deployment of a row; undefined if its parts were dropped after the row was read. */
  async function one(sql: string, ...params: (string | number)[]): Promise<DeploymentRecord | undefined> {
    const row = await reads.one(sql, ...params)
    if (!row) return undefined
    const entry = deployment.read(row)
    const values = await snapshotParts(entry.tagId, entry.parts)
    return isComplete(entry, values) ? toRecord(entry, values) : undefined
  }
  return {
    snapshotParts,
    deployment: (tagId, number) =>
      number === undefined
        ? one(`${selectDeployments} ${newest}`, tagId)
        : one(`${selectDeployments} AND number = ?`, tagId, number),
    deploymentAt: (tagId, at) => one(`${selectDeployments} AND created_at <= ? ${newest}`, tagId, at),
    history: (tagId, page) =>
      readPageOf(reads, { sql: selectDeployments, params: [tagId], columns: ['number'] }, page, deployment.read),
    async deployments() {
      const entries = (await reads.all(`${selectNewest} ORDER BY no`)).map(deployment.read)
      const rows = Map.groupBy(await reads.all(selectNewestParts), ({ tag }) => String(tag))
      const found: DeploymentRecord[] = []
      for (const entry of entries) {
        const values = readParts(rows.get(entry.tagId) ?? [])
        // A deployment that was written between the two reads has other parts.
        const record = isComplete(entry, values)
          ? toRecord(entry, values)
          : await one(`${selectDeployments} ${newest}`, entry.tagId)
        if (record) found.push(record)
      }
      return found
    },
  }
}
