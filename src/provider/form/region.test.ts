import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildRequests } from '#provider/engine/buildRequests.ts'
import { anInput, mirror } from '#provider/engine/mirror.fixture.ts'
import { provider } from './provider.ts'
import { region, regionHost } from './region.ts'

const hosts = { US: 'api.vendor.example', EU: 'api.eu.vendor.example' }
const regional = provider({
  ...mirror,
  requires: [],
  secrets: { REGION: region(hosts, 'Settings, Project.') },
  request: (_, secrets) => ({ url: `https://${regionHost(hosts, secrets.REGION!)}/in` }),
})
const urlFor = (secrets: Record<string, string>) => {
  const { requires: _, ...anybody } = regional
  const built = buildRequests('mirror', anybody, anInput({ secrets }))
  return 'requests' in built ? built.requests[0]!.url : built
}

test('a request goes to the host of the chosen region, by default to the first one', () => {
  assert.equal(urlFor({}), 'https://api.vendor.example/in')
  assert.equal(urlFor({ REGION: 'EU' }), 'https://api.eu.vendor.example/in')
})

test('an unknown region is rejected when the script is written, and no event is sent to another region', () => {
  const { REGION } = regional.secrets
  assert.deepEqual([REGION!.check?.('EU'), REGION!.check?.('eu')], [undefined, 'Write one of US, EU.'])
  for (const chosen of ['eu', 'constructor', '__proto__']) assert.throws(() => urlFor({ REGION: chosen }), /region/)
})
