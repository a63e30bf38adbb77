import { randomBytes } from 'node:crypto'
import { openKeyring } from '#account/keyring.ts'
import type { Simulated, SimulateLine } from '#contract/simulate.ts'
import { Denied, type GuardPolicy, vetUrl } from '#provider/guard.ts'
import type { FetchAnswer, FetchRequest, Job } from '#sandbox/job.ts'
import type { Whom } from '#user/people.ts'
import type { Keys, Profile } from '#user/profile.ts'
import { webhookCalls } from './calls.ts'

type Reply = NonNullable<SimulateLine['replies']>[number]
type Did = Required<Pick<Simulated, 'requests' | 'calls'>>

const answerTo = ({ url }: FetchRequest, reply: Reply | undefined): FetchAnswer => ({
  url,
  status: reply?.status ?? 200,
  headers: { 'content-type': 'application/json', ...reply?.headers },
  body: JSON.stringify(reply?.json ?? {}),
})

const shown = ({ method, url, headers, body }: FetchRequest) => ({
  method,
  url,
  headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
  ...(body !== null && { body }),
})

/** By its form and, where its host is an address, by that: no name is looked up for a sample. */
function isRefused(url: string, guard: GuardPolicy): boolean {
  try {
    vetUrl(url, guard)
    return false
  } catch {
    return true
  }
}

/** `fetch`: writes down what it is asked for, answers what is said for it, and sends nothing. Throws Denied. */
export const stagedFetch =
  ({ requests }: Pick<Did, 'requests'>, replies: Reply[], guard: GuardPolicy): NonNullable<Job['fetch']> =>
  async (request) => {
    const refused = isRefused(request.url, guard)
    requests.push({ ...shown(request), ...(refused && { refused }) })
    if (refused) throw new Denied()
    return answerTo(request, replies.shift())
  }

/** What is known is the one person of the sample. */
function samplePeople({ userId = '', ...keys }: Readonly<Record<string, string>>) {
  const profile: Profile = { keys: keys as Keys, custom: {}, captured: {}, seenAt: 0 }
  const email = keys.email?.trim().toLowerCase()
  return {
    get: async (whom: Whom) => (whom.userId === userId ? profile : undefined),
    emailKey: (_: Whom['tag'], asked: string) => asked.trim().toLowerCase(),
    ownerOf: async (_: Whom['tag'], asked: string) => (userId && email === asked ? { userId, profile } : undefined),
    byCustom: async () => [],
    change: async () => ({ written: Promise.resolve() }),
  }
}

/**
 * What a webhook finds in `params`, each call written down: it is checked and answered as a real one, and what it would keep
 * is kept nowhere.
 */
export function stagedCalls(
  { calls: did }: Pick<Did, 'calls'>,
  user: Readonly<Record<string, string>>,
  { teamId, now }: { teamId: string; now(): number },
): NonNullable<Job['calls']> {
  const keys = openKeyring(randomBytes(32), 'sandbox')
  keys.makeTeam(teamId)
  const on = {
    stream: { append: async (entry: { keys: readonly unknown[] }) => entry.keys.map(() => true) },
    people: samplePeople(user),
    keys,
    clock: { now },
  }
  const calls = webhookCalls({ tag: { tagId: 'tag_simulated', teamId }, scriptId: 'scr_simulated' }, on)
  return Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      (...args: unknown[]) => {
        did.push({ name, args })
        return call(...args)
      },
    ]),
  )
}
