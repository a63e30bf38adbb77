import { parseJsonObject } from './jsonObject.ts'
import type { SecretSpec } from './secret.ts'
import { text } from './variables.ts'

/** The customer's own JavaScript. It gets what `request` returns; nothing is sent over the network. */
export type CustomerCode = {
  /**
   * The variable that holds the source, and the one that holds the values that the code may read: a JSON object of
   * texts.
   */
  source: string
  values: string
  /** The variable of the token that a call from outside must carry. */
  token?: string
  /** The function that the source defines. */
  functionName: string
  /**
   * What the function gets. `request`: a Request; it returns a Response, as a webhook. `body`: the members of the JSON
   * body.
   */
  argument: 'request' | 'body'
}

/** The URL of a request that runs the customer's code. */
export const codeUrl = 'code:run'

/**
 * The variable for the source. It is readable by everybody who may read the script, so it must hold no secrets. It has
 * no
 * `check`: parsing may take seconds, so a process of its own does it (sandbox/parseCode.ts).
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
