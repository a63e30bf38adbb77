import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readManifest, readOpenapi } from './catalogue.ts'
import type { ControlDeps } from './controlDeps.ts'

const depsOf = (brand: string) =>
  ({
    baseUrl: 'https://api.example.com/v1',
    brand,
    tagUrl: (id: string) => `https://tags.example.com/${id}`,
  }) as ControlDeps

test('a public document is made once for a server, however often anyone asks for it', () => {
  const [deps, other] = [depsOf('Service'), depsOf('Other')]
  for (const read of [readOpenapi, readManifest]) {
    const first = read({} as never, deps)
    assert.equal(read({} as never, deps), first)
    assert.notEqual(read({} as never, other), first)
  }
  assert.notDeepEqual(readOpenapi({} as never, deps), readOpenapi({} as never, other))
})
