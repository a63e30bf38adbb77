import { codeSecretTexts, codeValuesOf } from '#provider/engine/codeSecrets.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import type { CustomerCode } from '#provider/form/customerCode.ts'
import type { Job } from '#sandbox/job.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'

/** A deployed script whose provider runs the customer's code. `secrets`: its plaintexts by variable. */
export type CodeScript = {
  tag: Pick<Snapshot, 'teamId'>
  script: Pick<SnapshotScript, 'scriptId' | 'secrets'>
  code: CustomerCode
  secrets: Readonly<Record<string, string>>
}

/** A request that is handed to code: its body as text, or as bytes in latin1 where it is no UTF-8. */
export type Handed = Omit<WireRequest, 'headers'> & { headers: readonly (readonly [string, string])[]; latin1?: string }

/** Runs share globals while neither the code nor a secret of the script is written anew. */
const keyOf = ({ scriptId, secrets }: CodeScript['script']) =>
  [scriptId, ...Object.values(secrets).map(({ secretId, version }) => `${secretId}.${version}`)].join('/')

/** One run of a script's code. `params` come besides `secrets`; a Response is expected of code that takes a request. */
export const jobOf = (
  { tag, script, code, secrets }: CodeScript,
  params: Job['params'],
  calls: NonNullable<Job['calls']> = {},
): Job => ({
  teamId: tag.teamId,
  key: keyOf(script),
  code: secrets[code.source] ?? '',
  name: code.functionName,
  shape: code.argument === 'request' ? 'response' : 'value',
  params: { ...params, secrets: codeValuesOf(code, secrets) },
  calls,
  secrets: codeSecretTexts(code, secrets),
})

/** What code is given of the request that its provider describes. */
export const paramsOf = (
  { code }: Pick<CodeScript, 'code'>,
  { body = '{}', ...request }: WireRequest,
  url: string,
): Job['params'] =>
  code.argument === 'body'
    ? (JSON.parse(body) as Job['params'])
    : { request: { ...request, url, headers: Object.entries(request.headers), body } satisfies Handed }
