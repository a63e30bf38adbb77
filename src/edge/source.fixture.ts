import type { TestContext } from 'node:test'
import { fault } from '#contract/fault.ts'
import type { Scope } from '#contract/scopes.ts'
import type { SourceName } from '#contract/sourceNames.ts'
import { recordEvents } from '#event/record.ts'
import { openTestEdge, type TestRequest, tagId, teamId } from './edge.fixture.ts'
import type { EdgeDeps } from './edgeDeps.ts'

/** The only token of the edge of `openSource`. */
export const key = 'secret-key'
export const basic = (user: string) => ({ authorization: `Basic ${Buffer.from(`${user}:`).toString('base64')}` })
export const at = (path: string) => `/t/${tagId}${path}`
export const iso = (ms: number) => new Date(ms).toISOString()

/** An edge whose tag accepts this source, and whose only token has these scopes. */
export async function openSource(
  t: TestContext,
  name: SourceName,
  scopes: Scope[] = ['event:write'],
  tag: object = {},
  deps: Partial<EdgeDeps> = {},
) {
  const edge = await openTestEdge(t, {
    tag: { sources: [name], ...tag },
    deps: {
      ...deps,
      authenticate: async (authorization) => {
        if (authorization !== `Bearer ${key}`) throw fault('tokenRefused')
        return { by: 'tok_1', teamId, application: 'operator', scopes: new Set(scopes) }
      },
    },
  })
  const send = (path: string, body?: unknown, headers: TestRequest['headers'] = basic(key), method = 'POST') =>
    edge.ask({
      method,
      path: at(path),
      ...(headers && { headers: { ...headers } }),
      ...(body !== undefined && { body }),
    })
  return { ...edge, send, events: () => recordEvents(edge.records()) }
}
