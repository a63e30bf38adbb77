import { accessHolder, refuseEscalation } from '#account/privilege.ts'
import { testText } from '#alert/alertText.ts'
import { enterCode, newContactPoint, openContact, sealContact, showContact } from '#alert/contactPoint.ts'
import { toCodeMail } from '#alert/receivers/mailText.ts'
import { sendToContact } from '#alert/sendToContact.ts'
import { unsubscribeUrl } from '#alert/subscription.ts'
import { maxContactPoints } from '#contract/alertKinds.ts'
import type { DashboardLanguage } from '#contract/dashboardLanguage.ts'
import { badRequest, fault } from '#contract/fault.ts'
import { limitReached } from '#contract/limitReached.ts'
import { operations } from '#contract/operations.ts'
import { newId } from '#kit/id.ts'
import { type TokenBuckets, tokenBuckets } from '#kit/tokenBucket.ts'
import { requireCallableAddress } from '#script/hookAddress.ts'
import type { ContactPointRecord } from '#store/incidents.ts'
import { withChangeLock } from './changeLock.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { toPageRequest } from './pagination.ts'
import { saveChange } from './saveChange.ts'

export const contactsLockKey = (teamId: string) => `${teamId} contactPoints`

/** The audit omits the address: it is personal or secret. */
const auditState = ({ name, kind }: Pick<ContactPointRecord, 'name' | 'kind'>) => ({ name, kind })

async function requireContact(deps: ControlDeps, teamId: string, name: string): Promise<ContactPointRecord> {
  const row = await deps.store.incidents.contactPoint(teamId, name)
  if (!row) throw fault('contactPointUnknown')
  return row
}

export const listContactPoints: AnswerFor<'listContactPoints'> = async ({ query, access }, deps) => {
  const { rows, next } = await deps.store.incidents.contactPoints(access.teamId, toPageRequest(query))
  return { contactPoints: rows.map((row) => showContact(row, deps)), ...(next !== undefined && { next }) }
}

/** Messages name tags, channels and events, which the caller must be allowed to read. */
export const readableScopes = [...operations.listScripts.access, ...operations.listAlerts.access]

/** Maximum confirmation codes per hour of a team: until an address is confirmed, it may belong to somebody else. */
const codesPerHour = 20
const codeRates = new WeakMap<ControlDeps['keys'], TokenBuckets>()

function takeCode({ keys, clock }: ControlDeps, teamId: string): void {
  const rate = codeRates.get(keys) ?? tokenBuckets({ perSecond: codesPerHour / 3_600, capacity: codesPerHour }, clock)
  codeRates.set(keys, rate)
  const afterMs = rate.waitMs(teamId, 1)
  if (afterMs > 0) throw limitReached('tooManyCodes', codesPerHour, { afterMs })
  rate.take(teamId, 1)
}

async function sendCode(
  deps: ControlDeps,
  { teamId, ...mail }: { teamId: string; to: string; language: DashboardLanguage },
  code: string,
): Promise<void> {
  if (!deps.sendAlertMail)
    throw badRequest({
      path: 'kind',
      message: 'is email, but the server has no mail server. Ask the operator to set AGLET_SMTP_URL',
    })
  takeCode(deps, teamId)
  const result = await deps.sendAlertMail(toCodeMail(code, { teamId, ...mail }))
  if (result.status !== 'sent') throw badRequest({ path: 'address', message: `did not get a mail: ${result.message}` })
}

export const putContactPoint: AnswerFor<'putContactPoint'> = async (
  { params: { name }, body, language, ...who },
  deps,
) => {
  const { teamId } = who.access
  const attempt = { what: 'putContactPoint', teamId, object: name }
  await refuseEscalation(deps, readableScopes, accessHolder(who.access, who.from), attempt)
  return withChangeLock(contactsLockKey(teamId), async () => {
    const { rows } = await deps.store.incidents.contactPoints(teamId, { limit: maxContactPoints })
    const previous = rows.find((row) => row.name === name)
    const now = deps.clock.now()
    const made = newContactPoint({ teamId, name }, body, previous, { keys: deps.keys, now, language })
    const { row, settings, isNewSecret } = made
    if (settings.url) await requireCallableAddress(settings.url, deps.vetAddress)
    if (!previous && rows.length >= maxContactPoints) throw limitReached('tooManyContactPoints', maxContactPoints)
    if (settings.code)
      await sendCode(deps, { teamId, to: settings.target, language: settings.language }, settings.code.text)
    await saveChange(deps, who, {
      ...{ what: 'putContactPoint', object: row.contactPointId, after: auditState(row) },
      ...(previous && { before: auditState(previous) }),
      rows: [{ alerting: { put: 'contactPoint', row } }],
    })
    return { ...showContact(row, deps), ...(isNewSecret && settings.secret && { secret: settings.secret }) }
  })
}

export const confirmContactPoint: AnswerFor<'confirmContactPoint'> = async ({ params, body, ...who }, deps) => {
  const { teamId } = who.access
  return withChangeLock(contactsLockKey(teamId), async () => {
    const row = await requireContact(deps, teamId, params.name)
    const settings = enterCode(openContact(row, deps), body.code, deps.clock.now())
    const changed = sealContact(row, settings, deps)
    const rows = [{ alerting: { put: 'contactPoint' as const, row: changed } }]
    if (settings.isConfirmed) {
      await saveChange(deps, who, {
        what: 'confirmContactPoint',
        object: row.contactPointId,
        after: auditState(row),
        rows,
      })
      return showContact(changed, deps)
    }
    await deps.store.write(rows)
    throw fault('contactCodeWrong')
  })
}

export const testContactPoint: AnswerFor<'testContactPoint'> = async ({ params, ...who }, deps) => {
  const { teamId } = who.access
  const row = await requireContact(deps, teamId, params.name)
  const settings = openContact(row, deps)
  if (!settings.isConfirmed) throw fault('contactPointUnconfirmed')
  const id = newId('msg', deps.clock.now())
  const text = testText(id, row.name, deps.alertPage({ teamId }), settings.language)
  const endUrl = unsubscribeUrl(row, settings.address ?? '', deps)
  const message = { teamId, kind: row.kind, settings, text, dedupKey: id, data: { teamId }, unsubscribeUrl: endUrl }
  const result = await sendToContact(message, deps)
  const outcome = { isSent: result.isSent, ...(!result.isSent && { message: result.message }) }
  await saveChange(deps, who, { what: 'testContactPoint', object: row.contactPointId, after: outcome, rows: [] })
  return outcome
}

export const deleteContactPoint: AnswerFor<'deleteContactPoint'> = async ({ params: { name }, ...who }, deps) => {
  const { teamId } = who.access
  return withChangeLock(contactsLockKey(teamId), async () => {
    const { contactPointId, ...row } = await requireContact(deps, teamId, name)
    const rows = [{ alerting: { drop: 'contactPoint' as const, contactPointId } }]
    await saveChange(deps, who, { what: 'deleteContactPoint', object: contactPointId, before: auditState(row), rows })
    return { name }
  })
}
