const maxLength = 200

/** Why the server has no mail. `isFinal`: it would refuse it again. The message has no address of a person. */
export class MailError extends Error {
  override name = 'MailError'
  readonly isFinal: boolean
  constructor(message: string, isFinal: boolean) {
    super(message)
    this.isFinal = isFinal
  }
}

/** Servers repeat the address that they refuse. */
const withoutAddresses = (text: string) =>
  text
    .slice(0, maxLength)
    .replace(/[\p{Cc}]/gu, ' ')
    .split(' ')
    .map((word) => (word.includes('@') ? '…' : word))
    .join(' ')

/** The reply code of the server decides: 5xx is final; 4xx, and whatever kept it from replying, is not. */
export function toMailError(error: Error & { responseCode?: number | undefined; response?: string | undefined }) {
  const { responseCode, response, message } = error
  const text = response ? `The server answered: ${response}` : message
  return new MailError(withoutAddresses(text), responseCode !== undefined && responseCode >= 500)
}
