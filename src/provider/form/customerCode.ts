import { parseJsonObject } from './jsonObject.ts'
import type { SecretSpec } from './secret.ts'
import { text } from './variables.ts'

/** The customer's own JavaScript. It receives the result of `request`. Nothing is sent over the network. */
export type CustomerCode = {
  /**
   * `source`: the variable that holds the source. `values`: the variable that holds the values that the code may read,
   * a JSON object of texts.
   */
  source: string
  values: string
  /** The variable for the token that calls from outside must carry. */
  token?: string
  /** The function that the source defines. */
  functionName: string
  /**
   * The argument of the function. `request`: a Request; the function returns a Response, as a webhook does. `body`: the
   * members of the JSON body.
   */
  argument: 'request' | 'body'
}

/** The URL of a request that runs the customer's code. */
export const codeUrl = 'code:run'

/**
 * The variable for the source. Everyone who may read the script can read the source, so it must not contain secrets. It
 * has no `check`: parsing may take seconds and runs in a separate process (sandbox/parseCode.ts).
 */
export const codeVariable = (description: string, placeholder: string) =>
  text('Code', description, { placeholder, usedBy: 'code' })

const valuesCheck = (json: string): string | undefined =>
  parseJsonObject(json) ? undefined : 'Write a JSON object: {"NAME": "value"}.'

/** The variable for the values that the code may read: a JSON object of texts. */
export const codeValues = (description: string) =>
  text('Secrets', description, {
    optional: true,
    sensitive: true,
    placeholder: '{"PRIVATE_APP_ACCESS_TOKEN": "…"}',
    check: valuesCheck,
    usedBy: 'code',
  }) satisfies SecretSpec
