import { openPayload, type PayloadPerson, personHashes, personOf } from '#order/payload.ts'
import type { TagRecord } from '#store/store.ts'
import type { ControlDeps } from './controlDeps.ts'

/** Payloads decrypted per lookup. */
const payloadsPerRead = 100

/** The decrypted payloads of orders that name a person. */
export async function findPayloads(deps: ControlDeps, tag: TagRecord, person: PayloadPerson) {
  const { tagId, teamId } = tag
  const rows = await deps.store.orders.payloadsOf(tagId, personHashes(tag, person, deps.keys), payloadsPerRead)
  for (const { sealed } of rows) await deps.keys.findTeamKey(teamId, sealed)
  return rows.map((row) => ({ at: row.at, payload: openPayload(tag, row, deps.keys) }))
}

/**
 * Erases the shop payloads about a person's orders, which repairs use. A payload may name the person by further ids, so
 * payloads with the same e-mail, phone or customer id are also erased. Returns whether there was a payload.
 */
export async function erasePayloads(deps: ControlDeps, tag: TagRecord, person: PayloadPerson): Promise<boolean> {
  const { tagId } = tag
  const found = await findPayloads(deps, tag, person)
  const people = [person, ...found.map(({ payload }) => personOf(payload))]
  const hashes = [...new Set(people.flatMap((each) => personHashes(tag, each, deps.keys)))]
  await deps.store.write([{ erase: 'orderPayloads', tagId, people: hashes }])
  return found.length > 0
}
