import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { Secret } from '#kit/secret.ts'
import { provider } from '#provider/form/provider.ts'
import { nextSecrets } from './nextSecrets.ts'
import { openVersion } from './secret.ts'

const acme = provider({
  label: 'Acme',
  stage: 'live',
  consent: ['advertising'],
  docs: 'https://acme.example/docs',
  host: 'fixed',
  secrets: { TOKEN: { label: 'Token', type: 'PASSWORD' }, TEST: { label: 'Test', type: 'TEXT', optional: true } },
  events: {},
  user: {},
  personId: 'none',
  dedup: 'none',
  request: () => [],
})
const signing = { label: 'Key', type: 'PASSWORD', toStored: (text: string) => `whsec_${text}` } as const
const keys = openKeyring(new Uint8Array(32), 'production')
keys.createTeamKey('team_1')
const noStore = { secret: async () => undefined }
const owner = { environment: 'production', teamId: 'team_1' } as const
const upsert = (refs: Parameters<typeof nextSecrets>[0], written: Record<string, string>) => {
  const secrets = new Map(Object.entries(written).map(([variable, text]) => [variable, new Secret(text)]))
  return nextSecrets(refs, secrets, { ...owner, scriptId: 'scr_1', provider: acme }, { keys, store: noStore, nowMs: 5 })
}

test('a new secret is version 1 of a new id, sealed for this script', async () => {
  const { refs, versions } = await upsert({}, { TOKEN: 'a' })
  assert.deepEqual(refs, { TOKEN: { secretId: versions[0]!.secretId, version: 1 } })
  assert.deepEqual([versions[0]!.type, versions[0]!.createdAt], ['PASSWORD', 5])
  assert.equal(openVersion(versions[0]!, owner, keys).open(), 'a')
  assert.throws(() => openVersion({ ...versions[0]!, scriptId: 'scr_2' }, owner, keys))
})

test('a secret that is written again is the next version of its id, and the others are unchanged', async () => {
  const before = { TOKEN: { secretId: 'sec_1', version: 3 }, TEST: { secretId: 'sec_2', version: 1 } }
  const { refs, versions } = await upsert(before, { TOKEN: 'b' })
  assert.deepEqual(refs, { TOKEN: { secretId: 'sec_1', version: 4 }, TEST: { secretId: 'sec_2', version: 1 } })
  assert.equal(versions.length, 1)
  assert.equal(before.TOKEN.version, 3)
})

test('a secret is stored in the form that its variable says', async () => {
  const secrets = new Map([['SIGNING', new Secret('a')]])
  const context = { ...owner, scriptId: 'scr_1', provider: { ...acme, secrets: { SIGNING: signing } } }
  const { versions } = await nextSecrets({}, secrets, context, { keys, store: noStore, nowMs: 5 })
  assert.equal(openVersion(versions[0]!, owner, keys).open(), 'whsec_a')
})

test('an empty secret is unset and creates no version', async () => {
  assert.deepEqual(await upsert({ TEST: { secretId: 'sec_2', version: 1 } }, { TEST: '' }), { refs: {}, versions: [] })
  assert.deepEqual(await upsert({}, { TEST: '' }), { refs: {}, versions: [] })
})
