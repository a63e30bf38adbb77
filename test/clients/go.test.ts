import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { call, makeCustomer, openAglet, until } from '../fake/aglet.ts'
import { isFullRun } from '../fake/cases.ts'
import { skipMissing } from './client.ts'

const run = promisify(execFile)
const generator = join(import.meta.dirname, '../../node_modules/.cache/aglet/go/oapi-codegen')
const folder = mkdtempSync(join(tmpdir(), 'aglet-go-'))
after(() => rmSync(folder, { recursive: true, force: true }))

type Schema = { [keyword: string]: unknown }
const isNull = (schema: Schema) => schema.type === 'null'

/** The schemas in OpenAPI 3.0, the newest version that the generator supports: a null type becomes `nullable`. */
function older(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(older)
  if (typeof value !== 'object' || value === null) return value
  const { anyOf, ...rest } = value as Schema
  const schema = Object.fromEntries(Object.entries(rest).map(([name, each]) => [name, older(each)]))
  if (!Array.isArray(anyOf)) return schema
  const others = anyOf.filter((each) => !isNull(each)).map(older) as Schema[]
  const nullable = others.length < anyOf.length && { nullable: true }
  return others.length === 1 ? { ...schema, ...others[0], ...nullable } : { ...schema, anyOf: others, ...nullable }
}

const program = `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
)

func main() {
	sign := WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Args[2])
		request.Header.Set("Team-Id", os.Args[3])
		return nil
	})
	client, err := NewClientWithResponses(os.Args[1], sign)
	if err != nil {
		panic(err)
	}
	answer, err := client.ReadEventWithResponse(context.Background(), os.Args[4], os.Args[5], &ReadEventParams{})
	if err != nil {
		panic(err)
	}
	var receivedAt int64 = answer.JSON200.ReceivedAt
	fmt.Print(receivedAt)
}
`

const skip = !isFullRun && 'SKIPPED: npm run test:clients -- --all builds the generator and the client'

test('a client that is generated in Go compiles, reads times as int64 and rounds no number', { skip }, async (t) => {
  if (spawnSync('go', ['version']).error) return t.skip('SKIPPED: Go is missing; 1.24 or newer builds the client')
  if (!existsSync(generator)) return skipMissing(t, 'oapi-codegen')
  const customer = await makeCustomer(await openAglet('clients-go'), 'go')
  const document = (await (await fetch(`${customer.baseUrl}/openapi.json`)).json()) as Schema
  const { webhooks: _, ...schemas } = older(document) as Schema
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify({ ...schemas, openapi: '3.0.3' }))
  const options = ['-generate', 'types,client', '-package', 'main', '-o', 'api.go', 'openapi.json']
  await run(generator, options, { cwd: folder })
  assert.doesNotMatch(readFileSync(join(folder, 'api.go'), 'utf8'), /float32/)
  writeFileSync(join(folder, 'main.go'), program)
  const runtime = 'github.com/oapi-codegen/runtime v1.1.2'
  writeFileSync(join(folder, 'go.mod'), `module aglet.test/client\n\ngo 1.24\n\nrequire ${runtime}\n`)
  const env = { ...process.env, GOFLAGS: '-mod=mod' }
  await run('go', ['build', '-o', 'client', '.'], { cwd: folder, env, maxBuffer: 2 ** 24 })

  const event = { eventName: 'PageView', eventId: 'go-1', timestamp: Date.now() }
  await fetch(`${customer.tagUrl}/tag`, { method: 'POST', body: JSON.stringify(event) })
  let receivedAt = 0
  await until(async () => {
    const { status, body } = await call<{ receivedAt: number }>(customer, 'GET', `/tag/${customer.tagId}/event/go-1`)
    receivedAt = body.receivedAt
    return status === 200
  })
  const { baseUrl, token, teamId, tagId } = customer
  const { stdout } = await run(join(folder, 'client'), [baseUrl, token, teamId, tagId, 'go-1'])
  assert.equal(stdout, `${receivedAt}`)
})
