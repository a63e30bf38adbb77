import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { makeCustomer, openTestControl } from './fake/testControl.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const control = await openTestControl()
const folder = mkdtempSync(join(tmpdir(), 'aglet-package-'))
after(async () => {
  await control.close()
  rmSync(folder, { recursive: true, force: true })
})
const customer = await makeCustomer(control)

/** A project with the installed package: only the files of its `exports`, without sources. */
before(async () => {
  const installed = join(folder, 'node_modules/aglet')
  mkdirSync(installed, { recursive: true })
  const { name, version, type, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  writeFileSync(join(installed, 'package.json'), JSON.stringify({ name, version, type, exports }))
  symlinkSync(join(root, 'node_modules/typebox'), join(folder, 'node_modules/typebox'))
  await run(process.execPath, [join(root, 'scripts/client.ts'), join(installed, 'dist/client')])
})

test('the package exports a client that runs under node_modules, where no types are stripped', async () => {
  const origin = await control.app.listen({ port: 0, host: '127.0.0.1' })
  const { token, teamId, tagId } = customer
  const options = JSON.stringify({ baseUrl: `${origin}/v1`, token, teamId })
  const program = `
    import { ApiError, client, sealEntry } from 'aglet/client'
    const api = client(${options})
    const { encryptionKey: key, environment, teamId } = await api.readMe()
    const to = { environment, teamId, providerId: 'eventSink', variable: 'EVENT_SINK_URL', type: 'TEXT' }
    const secrets = [await sealEntry({ ...to, plaintext: 'https://a.example/in', key })]
    const write = { name: 'packaged', providerId: 'eventSink', tagId: '${tagId}', secrets }
    const { scriptId } = await api.createScript({ body: write })
    const { name } = await api.readScript({ scriptId })
    const refused = await api.createScript({ body: write }).catch((error) => error instanceof ApiError && error.statusCode)
    console.log(JSON.stringify({ name, refused }))`
  writeFileSync(join(folder, 'use.mjs'), program)
  const { stdout } = await run(process.execPath, [join(folder, 'use.mjs')])
  assert.deepEqual(JSON.parse(stdout), { name: 'packaged', refused: 409 })
})

const check = (program: string) => {
  const file = join(folder, 'check.mts')
  writeFileSync(
    file,
    `import { client } from 'aglet/client'\nconst api = client({ baseUrl: 'https://a.example/v1' })\n${program}`,
  )
  const flags = [
    '--ignoreConfig',
    '--strict',
    '--noEmit',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'esnext',
  ]
  return run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...flags, '--types', '', file])
}

test('its types come along: what the API does not take or give does not compile', async () => {
  await check(`const script = await api.readScript({ scriptId: 'scr_1' })\nexport const name: string = script.name`)
  for (const wrong of [
    `export const nope = (await api.readScript({ scriptId: 'scr_1' })).nope`,
    `await api.listScripts({})`,
    `await api.createTag({ body: { name: 'a', domain: 'b', consent: 'perhaps' } })`,
  ])
    await assert.rejects(check(wrong), ({ stdout }) => /error TS/.test(stdout), wrong)
})

test('a blank policy id is refused before it is sent: fetch hands no 407 on', async () => {
  const program = `
    import { client } from 'aglet/client'
    const api = client({ baseUrl: 'http://127.0.0.1:1/v1', token: 'x', teamId: 'y' })
    const told = await Promise.all([
      api.readPolicy({ policyId: ' ' }).catch((error) => error.message),
      api.readLatestPolicies({ policyType: '' }).catch((error) => error.message),
    ])
    console.log(JSON.stringify(told))`
  writeFileSync(join(folder, 'blank.mjs'), program)
  const { stdout } = await run(process.execPath, [join(folder, 'blank.mjs')])
  assert.deepEqual(JSON.parse(stdout), ['policyId cannot be " "', 'policyType cannot be ""'])
})
