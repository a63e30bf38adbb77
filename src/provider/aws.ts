import type { SecretsOf, Send } from './provider.ts'
import { identifier, optional, password, text } from './variables.ts'

/** What signs in to a service of AWS. `may` is what the policy of the user must allow. */
export const awsSecrets = (may: string) =>
  ({
    AWS_ACCESS_KEY_ID: identifier('Access key ID', `IAM, a user that may ${may}, Security credentials, Access keys.`),
    AWS_SECRET_ACCESS_KEY: password('Secret access key', 'Shown once, when the access key is made.'),
    AWS_SESSION_TOKEN: password('Session token', 'Only with temporary keys; they end, and must be set anew.', optional),
    AWS_REGION: text('Region', 'The code beside the name of the region at the top right of the console.', {
      isHostLabel: true,
      placeholder: 'eu-central-1',
    }),
  }) as const

const contentType = 'application/x-amz-json-1.1'

/** A signed call of an action: `Kinesis_20131202.PutRecord`. `host` is the first label of the service's host name. */
export function awsCall(
  { AWS_REGION: region, AWS_SESSION_TOKEN: sessionToken, ...keys }: SecretsOf<ReturnType<typeof awsSecrets>>,
  { host, service = host, action }: { host: string; service?: string; action: string },
  json: unknown,
): Send {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = keys
  return {
    url: `https://${host}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`,
    headers: { 'content-type': contentType, 'x-amz-target': action },
    json,
    sign: { aws4: { service, region, accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) } },
  }
}

/** The types of an error that say that it was too much. */
export const isTooMuch = /(Throughput|Limit)Exceeded|Throttling/

/** Throttling comes as a 400: the type decides, alone or with a namespace and # before it. */
export const awsAnswers = [
  { at: '__type', like: isTooMuch, is: 'throttled' },
  {
    at: '__type',
    like: /ExpiredToken|UnrecognizedClient|InvalidSignature|IncompleteSignature|AccessDenied/,
    is: 'keyRejected',
  },
] as const
