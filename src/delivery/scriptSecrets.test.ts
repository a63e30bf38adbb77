import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { Secret } from '#kit/secret.ts'
import type { Provider } from '#provider/form/provider.ts'
import { sealVersion } from '#script/secret.ts'
import type { SecretRef, SnapshotScript } from '#script/snapshot.ts'
import type { SecretVersion } from '#store/store.ts'
import { aProvider, aScript } from '../../test/fake/tag.ts'
import { browserVariables, openScriptSecrets } from './scriptSecrets.ts'

const environment = 'production' as const
const keys = openKeyring(Buffer.alloc(32, 7), environment)
keys.createTeamKey('team_1')
const tag = { teamId: 'team_1' }

const version = (text: string, number: number) =>
  sealVersion(
    new Secret(text),
    {
      environment,
      teamId: 'team_1',
      scriptId: 'scr_1',
      secretId: 'sec_1',
      variable: 'KEY',
      version: number,
      type: 'PASSWORD',
    },
    keys,
    0,
  )
const script = (number: number): SnapshotScript =>
  aScript('scr_1', { secrets: { KEY: { secretId: 'sec_1', version: number } } })

function openTestSecrets(rows: SecretVersion[]) {
  const reads: SecretRef[] = []
  const store = {
    async secret(ref: SecretRef) {
      reads.push(ref)
      return rows.find(({ secretId, version }) => secretId === ref.secretId && version === ref.version)
    },
  }
  return { reads, plaintexts: openScriptSecrets({ store: store as never, keys, environment }) }
}

test('the secrets of a script are opened once per deployment', async () => {
  const { reads, plaintexts } = openTestSecrets([version('old', 1), version('new', 2)])
  const first = script(1)
  assert.deepEqual(await plaintexts(tag, first), { KEY: 'old' })
  assert.deepEqual(await plaintexts(tag, first), { KEY: 'old' })
  assert.equal(reads.length, 1)
  assert.deepEqual(await plaintexts(tag, script(2)), { KEY: 'new' })
})

test('a secret that could not be read is read again', async () => {
  const rows: SecretVersion[] = []
  const { plaintexts } = openTestSecrets(rows)
  const one = script(1)
  await assert.rejects(async () => plaintexts(tag, one))
  rows.push(version('here', 1))
  assert.deepEqual(await plaintexts(tag, one), { KEY: 'here' })
})

test('the secrets of twenty thousand scripts are cached; the least recently used are dropped', async () => {
  const { reads, plaintexts } = openTestSecrets([version('text', 1)])
  const first = script(1)
  await plaintexts(tag, first)
  for (let number = 0; number < 20_000; number++) await plaintexts(tag, aScript(`scr_other_${number}`))
  await plaintexts(tag, first)
  assert.equal(reads.length, 2)
})

test('a page gets the variables that are not sensitive of a provider that uses some in the browser, and none of others', async () => {
  const secrets: Provider['secrets'] = {
    PIXEL: { label: 'Pixel', type: 'IDENTIFIER' },
    TOKEN: { label: 'Token', type: 'PASSWORD' },
    IN_PAGE: { label: 'In the page', type: 'CHECKBOX', optional: true, usedBy: 'browser' },
  }
  const { IN_PAGE: _, ...serverOnly } = secrets
  const plaintexts = async () => ({ PIXEL: '42', TOKEN: 'secret', IN_PAGE: '1', GONE: 'secret' })
  const variablesOf = (specs: Provider['secrets']) =>
    browserVariables(plaintexts, { eventSink: aProvider('eventSink', { secrets: specs }) })(tag, aScript('scr_1'))
  assert.deepEqual(await variablesOf(secrets), { PIXEL: '42', IN_PAGE: '1' })
  assert.deepEqual(await variablesOf(serverOnly), {})
  assert.deepEqual(await browserVariables(plaintexts, {})(tag, aScript('scr_1')), {})
})
