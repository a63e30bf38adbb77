import type { SettingSpec } from './settingSpec.ts'

/** The SMTP server for outgoing mail. Without one, Aglet sends no mail and shows links instead. */
export type MailSettings = {
  /** `smtps://` uses TLS from the start; `smtp://` is upgraded by STARTTLS, except on a loopback address */
  smtpUrl?: string
  /** `aglet@example.com` or `Aglet <aglet@example.com>` */
  smtpSender?: string
}

/** The settings that are missing, as a sentence. Undefined if none is missing. */
export function findMailConflict({ smtpUrl, smtpSender }: MailSettings): string | undefined {
  if (smtpUrl !== undefined && smtpSender === undefined)
    return 'AGLET_SMTP_URL is set: set AGLET_SMTP_SENDER too, the address that mail comes from.'
  if (smtpUrl === undefined && smtpSender !== undefined)
    return 'AGLET_SMTP_SENDER is set: set AGLET_SMTP_URL too, the server that sends the mail.'
  return undefined
}

/** Undefined if the percent-encoding is invalid. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function readSmtpUrl(value: string): string | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return undefined
  const isBare = (url.pathname === '' || url.pathname === '/') && url.search === '' && url.hash === ''
  const hasBothOrNone = (url.username === '') === (url.password === '')
  const isReadable = decode(url.username) !== undefined && decode(url.password) !== undefined
  return isBare && hasBothOrNone && isReadable ? value : undefined
}

/** Letters, digits and the characters that an address may contain without quotes (RFC 5321, and UTF-8 by RFC 6531). */
const address = /^[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){0,9}$/u

/** Whether an address can be written into a mail unchanged: it contains no space, comma, quote, bracket or line end. */
export const isMailAddress = (text: string): boolean => text.length <= 254 && address.test(text)

/** The name and the address of a sender. Undefined if the text is neither `address` nor `Name <address>`. */
export function parseSender(text: string): { name: string; address: string } | undefined {
  const open = text.indexOf('<')
  const isNamed = open >= 0 && text.endsWith('>')
  const sender = isNamed
    ? { name: text.slice(0, open).trim(), address: text.slice(open + 1, -1) }
    : { name: '', address: text }
  const isPlain = /^[\p{L}\p{N} .&'’+-]{0,100}$/u.test(sender.name)
  return isPlain && isMailAddress(sender.address) ? sender : undefined
}

/** The settings of mail, in the order of the help text. */
export const mailSettingSpecs = {
  smtpUrl: {
    takes: 'smtps://user:password@host:465 or smtp://user:password@host:587, user and password percent-encoded',
    help: 'the SMTP server that sends mail, by TLS or STARTTLS; without one links are shown instead',
    read: readSmtpUrl,
    isHidden: true,
  },
  smtpSender: {
    takes: 'an address such as aglet@example.com or Aglet <aglet@example.com>',
    help: 'the address that mail comes from',
    read: (value) => (parseSender(value.trim()) ? value.trim() : undefined),
  },
} as const satisfies Record<string, SettingSpec>
