import { examples, fieldExamples } from '#contract/examples.ts'
import type { Operation } from '#contract/operation.ts'
import { type OperationId, operations } from '#contract/operations.ts'
import { type Aglet, type Customer, call, makeCustomer, makeScript, sinkAt } from '../fake/aglet.ts'
import { send } from './watchedServer.ts'

export const rows: Record<string, Operation> = operations

export type Team = { customer: Customer; ids: Record<string, string>; session?: string }

/**
 * Creates a team for one operation, with the objects that its example names, so that the call passes its checks. Only a call
 * by a session needs a person: hashing a password takes a third of a second.
 */
export async function openTeam(aglet: Aglet, name: string, hasPerson = true): Promise<Team> {
  const customer = await makeCustomer(aglet, name)
  const { tagId, teamId } = customer
  const scriptId = await makeScript(customer, 'eventSink', 'sink', sinkAt('http://127.0.0.1:9/in'))
  const made = await call<{ applicationId: string }>(customer, 'POST', '/application', {
    name: 'app',
    scopes: ['script:read'],
  })
  const ids = { tagId, teamId, scriptId, ...made.body }
  if (!hasPerson) return { customer, ids }
  const invited = await call<{ url: string }>(customer, 'POST', '/invitation', { role: 'owner' })
  const joined = await call<{ session: string }>(customer, 'POST', '/person', {
    invitation: invited.body.url,
    name: 'Ada',
    email: `${name}@example.com`.toLowerCase(),
    password: 'correct horse battery',
  })
  return { customer, session: joined.body.session, ids }
}

/** The example with the ids of the created objects. */
function filled(value: unknown, ids: Record<string, string>): unknown {
  const known = new Map(Object.entries(ids).map(([name, id]) => [fieldExamples[name], id]))
  const text = JSON.stringify(value, (_, each) => known.get(each) ?? each)
  return text === undefined ? undefined : JSON.parse(text)
}

/** Calls an operation with one part of its example replaced. */
export function caller(id: OperationId, { customer, ids, session }: Team) {
  const { method, path, access, body } = rows[id]!
  const token = access === 'session' ? session : customer.token
  const headers = {
    ...(access !== 'public' && { authorization: `Bearer ${token}` }),
    'team-id': customer.teamId,
    ...(body && { 'content-type': 'application/json' }),
  }
  const example = filled((examples[id] as { body?: unknown } | undefined)?.body, ids)
  const asked = { tagId: ids.tagId! }
  type Put = { params?: Record<string, string>; query?: string; headers?: Record<string, string>; body?: unknown }
  const ask = ({ params = {}, query, headers: own = {}, body: sent = example }: Put) => {
    const at = path.replace(/\{(\w+)\}/g, (_, name) => params[name] ?? String(ids[name] ?? fieldExamples[name]))
    const search = query ?? (rows[id]!.query?.properties.tagId ? `tagId=${asked.tagId}` : '')
    const url = `${customer.baseUrl}${at}${search && `?${search}`}`
    return send(url, {
      method,
      headers: { ...headers, ...own },
      ...(body && { body: typeof sent === 'string' ? sent : JSON.stringify(sent) }),
    })
  }
  return { ask, example, named: `tagId=${asked.tagId}` }
}
