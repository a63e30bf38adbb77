import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyValue, exampleInput } from '#provider/engine/exampleRequests.ts'
import { identityOf, resolve } from '#provider/engine/identity.ts'
import { requestsWithReplies } from '#provider/engine/requestsWithReplies.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import type { ProviderExample } from '#provider/form/example.ts'
import type { RawPerson } from '#provider/form/person.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { UserRules } from '#provider/form/userRule.ts'
import { examplesOf } from './examples/all.ts'
import { providers } from './index.ts'

const all = Object.entries(providers) as [string, Provider][]

const userId = 'usr_0123456789abcdefghjkmnpqrs'
const customerId = 'customer4711x'
const device = { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' }
const visitor: RawPerson = { ...device, userId }
const withEmail: RawPerson = { ...visitor, email: 'grace@hopper.example.org' }
const withCustomerId: RawPerson = { ...withEmail, customerId }

type Leaf = readonly [place: string, text: string]

/** All texts inside a value with their paths, including those in JSON, queries and base64. */
function leavesOf(value: unknown, place: string): Leaf[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, each]) => leavesOf(each, `${place}.${key}`))
  const text = decoded(`${value}`)
  const inner = [text, ...(text.match(/[\w+/-]{24,}={0,2}/g) ?? []).map((run) => Buffer.from(run, 'base64').toString())]
  return inner.flatMap((each): Leaf[] => {
    const json = /^[[{]/.test(each) && jsonIn(each)
    if (json) return leavesOf(json, place)
    if (!each.startsWith('?')) return [[place, each]]
    return [...new URLSearchParams(each)].flatMap(([name, value]) => leavesOf(value, `${place}.${name}`))
  })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function jsonIn(text: string): object | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const leavesOfRequest = (request: WireRequest, at: number): Leaf[] => {
  const { pathname, searchParams } = new URL(request.url)
  return [
    ...leavesOf(pathname.split('/'), `${at}.path`),
    ...[...searchParams].flatMap(([name, value]) => leavesOf(value, `${at}.query.${name}`)),
    ...leavesOf(request.headers, `${at}.headers`),
    ...leavesOf(bodyValue(request), `${at}.body`),
  ]
}

/** The texts in the requests for an example's event, sent for another person. */
function sentFor(id: string, provider: Provider, example: ProviderExample, person: RawPerson): Leaf[] {
  const input = { ...exampleInput(example), identity: identityOf(person) }
  const built = requestsWithReplies(id, provider, input, example.replies)
  return 'requests' in built ? built.requests.flatMap(leavesOfRequest) : []
}

/**
 * Vendors with one field for both ids, which they distinguish by the text or by another field: the content of the
 * requests for a visitor's event.
 */
const markedFields: Readonly<Record<string, { place: RegExp; text: RegExp; beside?: string }>> = {
  // https://docs.mixpanel.com/docs/tracking-methods/id-management/identifying-users-simplified
  mixpanel: { place: /\.distinct_id$/, text: /^\$device:/ },
  // https://posthog.com/docs/data/anonymous-vs-identified-events
  postHog: { place: /\.distinct_id$/, text: /./, beside: '$process_person_profile' },
}

/** Passes the unchanged event, including `userCustomerId`, to the customer's code. */
const handsOverWhole: readonly string[] = ['webhook']

const rulesOf = (rules: UserRules, ...keys: string[]): UserRules =>
  Object.fromEntries(Object.entries(rules).filter(([, { key }]) => keys.includes(key)))
const valuesOf = (rules: UserRules, person: RawPerson): string[] =>
  Object.values(resolve(rules, identityOf(person))).filter((value) => value !== undefined)
const placesOf = (leaves: readonly Leaf[], texts: readonly string[]) =>
  new Set(leaves.flatMap(([place, text]) => (texts.some((each) => text.includes(each)) ? [place] : [])))

for (const [id, each] of all) {
  const examples = examplesOf(id)
  const visitorIds = [userId, ...valuesOf(rulesOf(each.user, 'anonymousId'), visitor)]
  const customerIds = valuesOf(rulesOf(each.user, 'customerId'), withCustomerId)

  test(`${id}: its personId is the strongest id for which it has a rule`, () => {
    const keys = Object.values(each.user).map(({ key }) => key)
    const first = (['customerId', 'anyStableId', 'anonymousId'] as const).find((key) => keys.includes(key))
    assert.equal(each.personId, first ?? 'none')
  })

  test(`${id}: the id of a visitor stands in no field of a customer id`, () => {
    const marked = markedFields[id]
    for (const example of examples) {
      const fields = placesOf(sentFor(id, each, example, withCustomerId), customerIds)
      for (const person of [visitor, withEmail]) {
        const leaves = sentFor(id, each, example, person)
        for (const [place, text] of leaves) {
          if (!fields.has(place) || !visitorIds.some((visitorId) => text.includes(visitorId))) continue
          assert.ok(marked?.place.test(place) && marked.text.test(text), `${place}: ${text}`)
          const beside = marked?.beside
          assert.ok(!beside || leaves.some(([other, value]) => other.endsWith(`.${beside}`) && value === 'false'))
        }
      }
    }
  })

  test(`${id}: a customer id stands where a rule says, and nowhere else`, () => {
    const rules = rulesOf(each.user, 'customerId', 'anyStableId')
    const ids = valuesOf(rules, withCustomerId)
    const hasId = (example: ProviderExample) => placesOf(sentFor(id, each, example, withCustomerId), ids).size > 0
    const isExpected = Object.keys(rules).length > 0 && !handsOverWhole.includes(id)
    assert.equal(examples.some(hasId), isExpected)
    const others = Object.fromEntries(Object.entries(each.user).filter(([field]) => !(field in rules)))
    for (const example of examples) {
      const withoutRules = sentFor(id, { ...each, user: others }, example, withCustomerId)
      assert.deepEqual([...placesOf(withoutRules, [customerId])], [])
    }
  })
}
