import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { SecretType } from '#contract/script.ts'
import {
  type ControlAnswer,
  type Customer,
  callControl,
  makeCustomer,
  openTestControl,
  type Plain,
  sealPlain,
} from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)

const typeOf = (variable: string): SecretType =>
  variable === 'TWITTER_PIXEL_ID' ? 'IDENTIFIER' : variable === 'TWITTER_MAPPED_EVENTS' ? 'TEXT' : 'PASSWORD'
/** The body of a script of X, which accepts either a pixel token or four OAuth keys as credentials. */
async function bodyOf(as: Customer, secretValues: Record<string, string>) {
  const plain = Object.entries(secretValues).map(([variable, value]): Plain => [variable, typeOf(variable), value])
  const secrets = await sealPlain(control, as, 'twitter', ...plain)
  return { name: 'x', providerId: 'twitter', tagId: as.tagId, secrets }
}
const pixel = { TWITTER_PIXEL_ID: 'o8z6j', TWITTER_MAPPED_EVENTS: '[["Purchase","tw-1"]]' }
const token = (text: string) => ({ TWITTER_PIXEL_TOKEN: text })
const oauth = {
  TWITTER_CONSUMER_KEY: 'a',
  TWITTER_CONSUMER_SECRET: 'b',
  TWITTER_ACCESS_TOKEN: 'c',
  TWITTER_ACCESS_TOKEN_SECRET: 'd',
}
const create = async (as: Customer, secretValues: Record<string, string>) =>
  callControl(control, 'createScript', as, { body: await bodyOf(as, secretValues) })
const update = async (as: Customer, scriptId: string, secretValues: Record<string, string>) =>
  callControl(control, 'updateScript', as, { values: { scriptId }, body: await bodyOf(as, secretValues) })
const issuesIn = ({ status, body }: ControlAnswer) => [
  status,
  (body.attributes as { issues: { path: string; message: string }[] }).issues.map(({ path }) => path),
]

test('PUT refuses to unset the last complete set of credentials, and changes nothing', async () => {
  const as = await makeCustomer(control)
  const created = await create(as, { ...pixel, ...token('pixel-token'), TWITTER_CONSUMER_KEY: 'a' })
  assert.equal(created.status, 200)
  const { scriptId } = created.body as { scriptId: string }
  const read = async () => (await callControl(control, 'readScript', as, { values: { scriptId } })).body
  const before = await read()
  assert.deepEqual(issuesIn(await update(as, scriptId, token(''))), [400, ['secrets']])
  assert.deepEqual(await read(), before)
})

test('PUT may replace one set of credentials by another, and may omit unchanged secrets', async () => {
  const as = await makeCustomer(control)
  const { body } = await create(as, { ...pixel, ...token('pixel-token') })
  const { scriptId } = body as { scriptId: string }
  assert.equal((await update(as, scriptId, { ...oauth, ...token('') })).status, 200)
  assert.equal((await update(as, scriptId, {})).status, 200)
  assert.deepEqual(issuesIn(await update(as, scriptId, { TWITTER_ACCESS_TOKEN: '' })), [400, ['secrets']])
})

test('POST does not count an empty plaintext as a credential', async () => {
  const as = await makeCustomer(control)
  assert.deepEqual(issuesIn(await create(as, { ...pixel, ...token('') })), [400, ['secrets']])
})
