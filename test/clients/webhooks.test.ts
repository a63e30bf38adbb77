import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { toWireRequest } from '#provider/engine/toWireRequest.ts'
import { toSigningSecret } from '#provider/form/variables.ts'
import { newHook } from '#script/hook.ts'
import { exportsOf, hasPython, runPython, skipMissing } from './client.ts'

const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.createTeamKey('team_1')
const hook = newHook('team_1', 'https://ci.example.com/', { keys, clock: { now: Date.now } })

/** The secret that a hook shows, and the stored form of a secret chosen by a customer. */
const secrets = [hook.secret, toSigningSecret('a plain text')]

type Signed = { secret: string; headers: Record<string, string>; body: string }

const signedBy = (secret: string): Signed => {
  const sign = { standardWebhooks: secret, id: 'évt 1' }
  const { headers, body = '' } = toWireRequest({ url: 'https://a.example/', json: { über: '😀' }, sign }, Date.now())
  return { secret, headers, body }
}
const changed = (signed: Signed): Signed => ({ ...signed, body: signed.body.replace('😀', '🙁') })

type Verifier = new (secret: string) => { verify(body: string, headers: Record<string, string>): unknown }

for (const name of ['standardwebhooks', 'svix'])
  test(`${name} for Node verifies what hooks and the event sink send, and refuses a changed body`, (t) => {
    const { Webhook } = exportsOf<{ Webhook: Verifier }>(name) ?? {}
    if (!Webhook) return skipMissing(t, name)
    for (const signed of secrets.map(signedBy)) {
      const webhook = new Webhook(signed.secret)
      assert.deepEqual(webhook.verify(signed.body, signed.headers), { über: '😀' })
      assert.throws(() => webhook.verify(changed(signed).body, signed.headers))
    }
  })

const program = (module: string) => `
import json, sys
from ${module} import Webhook
for text in sys.argv[1:]:
    given = json.loads(text)
    try:
        Webhook(given["secret"]).verify(given["body"], given["headers"])
        print("verified")
    except Exception as problem:
        print("refused")
`

for (const module of ['standardwebhooks', 'svix.webhooks'])
  test(`${module} for Python verifies what hooks and the event sink send, and refuses a changed body`, async (t) => {
    if (!hasPython()) return skipMissing(t, module)
    const signed = secrets.map(signedBy)
    const said = await runPython(program(module), ...signed, ...signed.map(changed))
    assert.deepEqual(said.trim().split('\n'), ['verified', 'verified', 'refused', 'refused'])
  })
