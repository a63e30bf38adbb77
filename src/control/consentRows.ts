import { consentStateOf } from '#consent/consentState.ts'
import { type GivenConsent, isAnswer, type StoredConsent } from '#consent/statedConsent.ts'
import type { ConsentProof } from '#contract/consentProof.ts'
import { badRequest } from '#contract/fault.ts'
import type { RecordEvent } from '#event/record.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import type { EventListRow } from '#store/journalQueries.ts'
import type { PageRequest, ResultPage, TagRecord } from '#store/store.ts'
import { carriedConsent } from './carriedConsent.ts'
import type { ControlDeps } from './controlDeps.ts'
import { toEventRows } from './events.ts'
import { runFairly } from './searchSlots.ts'

type ProofRow = Readonly<Record<string, unknown>>

/** The columns of a proof in CSV. */
export const proofColumns = [
  ...['at', 'source', 'state', 'consent', 'consentCategories', 'banner', 'version', 'textVersion', 'gdprApplies'],
  ...['tcf', 'tcfSha256', 'addtlConsent', 'addtlConsentSha256', 'gpp', 'gppSha256', 'gppSections'],
]

/** An answer and its proof. Objections under US law alone are not an answer. */
function proofFields(given: GivenConsent, proof: ConsentProof | undefined): ProofRow {
  const { consent, consentCategories, texts } = given
  const decided = { consent, consentCategories, ...texts }
  const state = isAnswer(given) ? consentStateOf({ source: 'event', decided }) : 'unanswered'
  return { ...proof, state, ...(consent && { consent }), ...(consentCategories && { consentCategories }) }
}

/** The events of a page that carry a consent. Erased events carry none. */
export async function consentRows(
  deps: ControlDeps,
  tag: TagRecord,
  rows: readonly EventListRow[],
): Promise<readonly ProofRow[]> {
  const describe = (recordEvent: RecordEvent) => {
    const carried = recordEvent.isErased ? undefined : carriedConsent(recordEvent, deps.brand)
    return { proven: carried && proofFields(carried, carried.proof) }
  }
  const events = await toEventRows(deps, tag, rows, describe)
  return events.flatMap(({ proven, counts: _, ...row }) => (proven ? [{ ...proven, ...row }] : []))
}

/** Throws badRequest for event filters: a visitor's last answer belongs to no single event. */
export function refuseFilters({ from: _, to: __, userId: ___, ...others }: Readonly<Record<string, unknown>>): void {
  const issues = Object.keys(others).map((path) => ({ path, message: 'cannot be combined with userConsent' }))
  if (issues.length > 0) throw badRequest(...issues)
}

/** A page of the visitors' last answers in the range. A page may have fewer rows than its limit. */
export async function userConsentRows(
  deps: ControlDeps,
  tag: TagRecord,
  { userId, fromMs = 0, toMs = Number.POSITIVE_INFINITY }: DeliveryFilter,
  { limit, cursor = '' }: PageRequest,
): Promise<ResultPage<ProofRow>> {
  return runFairly(deps, tag.teamId, async () => {
    const { users, next } =
      userId === undefined ? await deps.profiles.listAfter(tag, cursor, limit) : await only(userId)
    const rows = users.flatMap(({ userId: id, profile: { consent } }) =>
      consent && consent.at >= fromMs && consent.at < toMs ? [rowOf(id, consent)] : [],
    )
    return { rows, ...(next !== undefined && { next }) }
  })
  async function only(id: string) {
    const profile = await deps.profiles.get({ tag, userId: id })
    return { users: profile ? [{ userId: id, profile }] : [], next: undefined }
  }
}

const rowOf = (userId: string, { proof, objected, ...given }: StoredConsent): ProofRow => ({
  userId,
  at: given.at,
  ...proofFields(given, proof),
  ...(objected && { objected }),
})
