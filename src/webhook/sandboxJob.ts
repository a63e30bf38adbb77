import { codeSecretTexts, codeTokenOf, codeValuesOf } from '#provider/engine/codeSecrets.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import type { CustomerCode } from '#provider/form/customerCode.ts'
import type { Job } from '#sandbox/job.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'

/** A deployed script whose provider runs customer code. `secrets`: plaintext secrets by variable. */
type CodeScript = {
  tag: Pick<Snapshot, 'teamId'>
  script: Pick<SnapshotScript, 'scriptId' | 'secrets'>
  code: CustomerCode
  secrets: Readonly<Record<string, string>>
}

/** A request that is passed to code. `body` is text; `latin1` has the bytes of a body that is not UTF-8. */
export type CodeRequest = Omit<WireRequest, 'headers'> & {
  headers: readonly (readonly [string, string])[]
  latin1?: string
}

/** Runs with the same key share globals. The key changes when the script's code or a secret is written. */
const keyOf = ({ scriptId, secrets }: CodeScript['script']) =>
  [scriptId, ...Object.values(secrets).map(({ secretId, version }) => `${secretId}.${version}`)].join('/')

/** The sandbox job of one run. `secrets` are added to `params`. Code that takes a request must return a Response. */
export const sandboxJob = (
  { tag, script, code, secrets }: CodeScript,
  params: Job['params'],
  calls: NonNullable<Job['calls']> = {},
): Job => ({
  teamId: tag.teamId,
  key: keyOf(script),
  code: secrets[code.source] ?? '',
  name: code.functionName,
  resultKind: code.argument === 'request' ? 'response' : 'value',
  params: { ...params, secrets: codeValuesOf(code, secrets), required: codeTokenOf(code, secrets) },
  calls,
  secrets: codeSecretTexts(code, secrets),
})

/** The parameters of the code, taken from the request that its provider builds. */
export const codeParams = (
  { code }: Pick<CodeScript, 'code'>,
  { body = '{}', ...request }: WireRequest,
  url: string,
): Job['params'] =>
  code.argument === 'body'
    ? (JSON.parse(body) as Job['params'])
    : { request: { ...request, url, headers: Object.entries(request.headers), body } satisfies CodeRequest }
