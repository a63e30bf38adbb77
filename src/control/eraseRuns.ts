import { emailHash, openRun, userHash } from '#journal/runLog.ts'
import { findStrings, indexStrings } from '#kit/stringSearch.ts'
import { periodicYield } from '#kit/yieldToEventLoop.ts'
import { encodedForms } from '#provider/engine/contacts.ts'
import { findPhones, indexPhones, phoneDigits, writtenAndSent } from '#provider/engine/phoneSearch.ts'
import type { TagRecord } from '#store/store.ts'
import type { RunRecord } from '#store/webhookRuns.ts'
import type { Profile, UserFacts } from '#user/profile.ts'
import type { ControlDeps } from './controlDeps.ts'
import { readAllPages } from './pagination.ts'

/** The ids by which a text may name a person. */
type PersonNames = Pick<UserFacts, 'keys' | 'custom'> & { userId: string; captured?: Profile['captured'] }

const minIdLength = 8
/** A custom value that may be an id. Others, such as `gold`, apply to many people. */
const isId = (value: unknown): value is string =>
  typeof value === 'string' && value.length >= minIdLength && value.length <= 200 && /\d/.test(value)

const idsOf = ({ userId, keys, custom, captured = {} }: PersonNames): string[] =>
  [userId, keys.customerId, keys.email, ...Object.values(custom), ...Object.values(captured).map(({ value }) => value)]
    .filter(
      (each) =>
        each !== undefined && (each === userId || each === keys.email || each === keys.customerId || isId(each)),
    )
    .map((each) => `${each}`.toLowerCase())

/** Tests whether a run names the person, by a keyed hash or in its text. */
function nameSearch(deps: ControlDeps, tag: TagRecord, person: PersonNames) {
  const { email, phone = '' } = person.keys
  const hashes = new Set([userHash(deps.keys, tag, person.userId)])
  if (email !== undefined) hashes.add(emailHash(deps.keys, tag, email))
  const index = indexStrings(idsOf(person).flatMap(encodedForms))
  const phones = indexPhones(writtenAndSent(phoneDigits(phone), person.keys))
  return ({ run, people }: ReturnType<typeof openRun>): boolean => {
    if (people.some((hash) => hashes.has(hash))) return true
    const text = JSON.stringify(run)
    return findStrings(text.toLowerCase(), index)?.length !== 0 || findPhones(text, phones).length > 0
  }
}

const runsPerPage = 100

/** The webhook runs that handled a person: searches at most a thousand runs of each script. */
async function findRuns(deps: ControlDeps, tag: TagRecord, person: PersonNames) {
  const scripts = await readAllPages((page) => deps.store.scripts(tag.tagId, page))
  const webhooks = scripts.filter(({ providerId }) => providerId === 'webhook')
  const isNamedIn = nameSearch(deps, tag, person)
  const yieldPeriodically = periodicYield(deps.clock)
  const found: Pick<RunRecord, 'scriptId' | 'runId'>[] = []
  for (const { scriptId } of webhooks) {
    let cursor: string | undefined
    do {
      const { rows, next } = await deps.store.runs.list(scriptId, {
        limit: runsPerPage,
        ...(cursor !== undefined && { cursor }),
      })
      for (const row of rows) {
        await deps.keys.findTeamKey(tag.teamId, row.sealed)
        if (isNamedIn(openRun(deps.keys, tag.teamId, row))) found.push(row)
        await yieldPeriodically()
      }
      cursor = next
    } while (cursor !== undefined)
  }
  return found
}

/**
 * Erases the webhook calls that handled a person, whether or not they created events: code may have logged its input.
 */
export function createRunEraser(deps: ControlDeps, tag: TagRecord): (person: PersonNames) => Promise<void> {
  const searched = new Set<string>()
  return async (person) => {
    const name = JSON.stringify([...idsOf(person), person.keys.phone])
    if (searched.has(name)) return
    searched.add(name)
    await deps.runLog.flush()
    const runs = (await findRuns(deps, tag, person)).map(({ scriptId, runId }) => ({ scriptId, runId }))
    if (runs.length > 0) await deps.store.write([{ erase: 'runs', tagId: tag.tagId, keys: [], runs }])
  }
}
