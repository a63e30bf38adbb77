import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { systemClock } from '#kit/clock.ts'
import { findMailConflict, isMailAddress, mailSettingSpecs, parseSender } from '#settings/mailSettings.ts'
import { cases } from '../../test/fake/cases.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import { headerOf, openInbox } from '../../test/fake/smtpServer.ts'
import { certificate, key } from '../../test/fault/certificate.ts'
import { composeMail } from './composeMail.ts'
import type { Mail } from './mail.ts'
import { MailError } from './mailError.ts'
import { mailRetryDelaysMs, openMailQueue } from './mailQueue.ts'
import { probeSmtp, type SmtpMessage, sendBySmtp, toSmtpServer } from './smtpClient.ts'

const sender = 'Aglet <aglet@example.com>'
const content = composeMail({
  language: 'en',
  subject: 'Grüße from the shop',
  paragraphs: ['Jane <b> invites you & yours.'],
  link: { label: 'Accept', url: 'https://tags.example.com/v1/account/invitation/abc' },
  notes: ['It works once.'],
})
const mailTo = (to: string, more: Partial<Mail> = {}): Mail => ({
  purpose: 'account',
  key: to,
  to,
  ...content,
  ...more,
})

type Line = Record<string, unknown>
function openQueue(deliver: (message: SmtpMessage) => Promise<void>, clock = turnedClock()) {
  const lines: Line[] = []
  const queue = openMailQueue({ clock, log: (line) => lines.push(line), sender, deliver })
  return { queue, clock, lines }
}
const raw = Buffer.from('Subject: one\r\n\r\ntext\r\n')

test('a mail arrives in text and HTML, with its name and its link, and loads nothing from elsewhere', async () => {
  const inbox = await openInbox()
  after(inbox.close)
  const server = toSmtpServer(inbox.url)
  const { queue } = openQueue((message) => sendBySmtp(server, message), { ...turnedClock(), wait: systemClock.wait })
  const unsubscribeUrl = 'https://tags.example.com/v1/account/alert-mails/x'
  assert.deepEqual(await queue.send(mailTo('jane@example.com', { unsubscribeUrl })), { status: 'sent' })
  const mail = await inbox.next('jane@example.com')
  assert.deepEqual([mail.from, mail.to], ['aglet@example.com', ['jane@example.com']])
  assert.equal(mail.subject, 'Grüße from the shop')
  assert.match(headerOf(mail.raw, 'From'), /^Aglet <aglet@example\.com>$/)
  assert.equal(headerOf(mail.raw, 'Auto-Submitted'), 'auto-generated')
  assert.equal(headerOf(mail.raw, 'List-Unsubscribe'), `<${unsubscribeUrl}>`)
  assert.match(mail.text, /Jane <b> invites you & yours\.[\s\S]*\/v1\/account\/invitation\/abc[\s\S]*It works once\./)
  assert.match(mail.html, /Jane &lt;b&gt; invites you &amp; yours/)
  assert.match(mail.html, /href="https:\/\/tags\.example\.com\/v1\/account\/invitation\/abc"/)
  assert.doesNotMatch(mail.html, /<img|<link|<script|url\(|src=/)
  assert.deepEqual(queue.report(), { sent: 1, refused: 0, failed: 0, waiting: 0 })
  await queue.close()
})

test('no text of others adds a header, a recipient or a line of its own to the header', async () => {
  const texts = fc.string({ unit: fc.constantFrom('\r', '\n', '\u2028', ':', ',', '<', '>', '"', 'a', '@', ' ', 'é') })
  await fc.assert(
    fc.asyncProperty(texts, texts, async (name, to) => {
      const messages: SmtpMessage[] = []
      const { queue } = openQueue(async (message) => void messages.push(message))
      const composed = composeMail({ language: 'de', subject: `${name}\r\nBcc: all@example.com`, paragraphs: [name] })
      await queue.send(mailTo('jane@example.com', composed))
      const head = messages[0]!.raw.toString().split('\r\n\r\n')[0]!
      const names = head.split('\r\n').flatMap((line) => /^([\w-]+):/.exec(line)?.[1]?.toLowerCase() ?? [])
      assert.ok(!names.includes('bcc'), head)
      assert.equal(new Set(names).size, names.length)
      assert.equal(messages[0]!.to, 'jane@example.com')
      const result = await queue.send(mailTo(to))
      assert.equal(result.status, isMailAddress(to) ? 'sent' : 'refused')
      assert.ok(!isMailAddress(to) || /^[^\s,<>"]+@[^\s,<>"@]+$/.test(to))
    }),
    { numRuns: cases(200), endOnFailure: true },
  )
})

test('a server off this machine gets a mail by TLS only: it has STARTTLS, or no mail goes out', async () => {
  assert.equal(toSmtpServer('smtp://mail.example.com').requireTls, true)
  assert.deepEqual(toSmtpServer('smtps://me%40shop:p%3Aw@mail.example.com'), {
    ...{ host: 'mail.example.com', port: 465, secure: true, requireTls: false },
    auth: { user: 'me@shop', pass: 'p:w' },
  })
  assert.equal(toSmtpServer('smtp://[::1]:2525').requireTls, false)
  const plain = await openInbox()
  const tls = await openInbox({ key, cert: certificate })
  after(() => Promise.all([plain.close(), tls.close()]))
  const message = { from: 'aglet@example.com', to: 'jane@example.com', raw }
  const far = (port: number) => ({ host: '127.0.0.1', port, secure: false, requireTls: true })
  await assert.rejects(sendBySmtp(far(plain.port), message), MailError)
  await assert.rejects(sendBySmtp(far(tls.port), message), /self-signed certificate|Hostname/)
  await sendBySmtp({ ...far(tls.port), tls: { ca: certificate, servername: 'elsewhere.example' } }, message)
  assert.deepEqual([plain.mails.length, tls.mails.length], [0, 1])
})

test('a wrong password of the setting is final and named, and shows neither name nor password', async () => {
  const inbox = await openInbox({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: (auth, _session, done) =>
      auth.password === 'right'
        ? done(null, { user: 'me' })
        : done(Object.assign(new Error('no'), { responseCode: 535 })),
  })
  after(inbox.close)
  const at = (password: string) => toSmtpServer(inbox.url.replace('//', `//me%40shop.example:${password}@`))
  await probeSmtp(at('right'))
  await assert.rejects(probeSmtp(at('hunter2')), (error) => {
    assert.ok(error instanceof MailError && error.isFinal)
    assert.match(error.message, /535/)
    assert.doesNotMatch(error.message, /hunter2|shop\.example/)
    return true
  })
})

test('a server that is slow, silent, or breaks off ends within its time and holds up nothing', async () => {
  const sockets = new Set<Socket>()
  const open = async (talk: (socket: Socket) => void) => {
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}))
      talk(socket)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    after(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    return { host: '127.0.0.1', port: (server.address() as { port: number }).port, secure: false, requireTls: false }
  }
  const times = { stepMs: 300, wholeMs: 600 }
  const message = { from: 'aglet@example.com', to: 'jane@example.com', raw }
  const silent = await open(() => {})
  const drips = await open((socket) => void setInterval(() => socket.write('2'), 50).unref())
  const breaks = await open((socket) => void socket.end('220 hello\r\n'))
  // Accepts the whole message, but closes the connection before confirming it.
  const drops = await open((socket) => {
    socket.write('220 hello\r\n')
    socket.on('data', (bytes) => {
      const text = bytes.toString('latin1')
      if (text.endsWith('\r\n.\r\n')) socket.destroy()
      else socket.write(text.startsWith('DATA') ? '354 go on\r\n' : '250 ok\r\n')
    })
  })
  for (const server of [silent, drips, breaks, drops])
    await assert.rejects(sendBySmtp(server, message, times), (error) => error instanceof MailError && !error.isFinal)
})

test('4xx is tried again until the server takes it, 5xx at once is final, and the operator sees why', async () => {
  const answers = [450, 421, 550]
  const refuse = (to: string) => {
    const responseCode = to.startsWith('jane') ? answers.shift() : undefined
    return responseCode ? Object.assign(new Error(`${responseCode} <${to}> says no`), { responseCode }) : undefined
  }
  const inbox = await openInbox({ refuse })
  after(inbox.close)
  const server = toSmtpServer(inbox.url)
  const { queue, clock, lines } = openQueue((message) => sendBySmtp(server, message))
  const result = queue.send(mailTo('jane@example.com'))
  for (const delayMs of mailRetryDelaysMs.slice(0, 2)) {
    await until('it waits for another try', () => clock.sleeping() === 1)
    await clock.turn(delayMs)
  }
  assert.equal((await result).status, 'refused')
  assert.deepEqual(await queue.send(mailTo('john@example.com')), { status: 'sent' })
  const { lastFailure, ...counts } = queue.report()
  assert.deepEqual(counts, { sent: 1, refused: 1, failed: 0, waiting: 0 })
  assert.match(lastFailure!.message, /^The server answered: 550 /)
  assert.ok(lines.some(({ level, why }) => level === 'error' && /550/.test(`${why}`)))
  assert.ok(!JSON.stringify(lines).includes('jane@'), 'the log names no person')
})

test('a mail that no server takes ends as failed after an hour, and one with a single try at once', async () => {
  let tries = 0
  const { queue, clock } = openQueue(async () => {
    tries++
    throw new MailError('connect ECONNREFUSED', false)
  })
  assert.equal((await queue.send(mailTo('jane@example.com'), 1)).status, 'failed')
  const result = queue.send(mailTo('jane@example.com'))
  for (const delayMs of mailRetryDelaysMs) {
    await until('it waits', () => clock.sleeping() === 1)
    await clock.turn(delayMs)
  }
  assert.deepEqual(await result, { status: 'failed', message: 'connect ECONNREFUSED' })
  assert.equal(tries, 2 + mailRetryDelaysMs.length)
})

test('ten thousand alerts fill their own part of the queue, and delay no sign-in', async () => {
  const hung = new AbortController()
  const { queue, lines } = openQueue(async ({ to }) => {
    if (to.startsWith('alert') && !hung.signal.aborted)
      await new Promise((resolve) => hung.signal.addEventListener('abort', resolve))
  })
  const alerts = Array.from({ length: 10_000 }, (_, n) =>
    queue.send(mailTo(`alert${n}@example.com`, { purpose: 'alert', key: `team ${n % 7}` })),
  )
  assert.deepEqual(await queue.send(mailTo('jane@example.com')), { status: 'sent' })
  assert.ok(queue.report().waiting <= 1_000)
  assert.ok(
    lines.filter(({ level }) => level === 'error').length < 10,
    'a full queue is logged once, not for each mail',
  )
  hung.abort()
  const ends = Object.groupBy(await Promise.all(alerts), ({ status }) => status)
  assert.deepEqual([ends.sent?.length, ends.failed?.length], [1_000, 9_000])
})

test('a team whose mails wait for another try takes no place from the mails of others', async () => {
  const { queue } = openQueue(async ({ to }) => {
    if (to.startsWith('slow')) throw new MailError('451 later', false)
  })
  const slow = Array.from({ length: 5_000 }, (_, n) =>
    queue.send(mailTo(`slow${n}@example.com`, { purpose: 'alert', key: 'team_1' })),
  )
  await until('its places are taken', async () => queue.report().failed >= 4_000)
  const other = mailTo('jane@example.com', { purpose: 'alert', key: 'team_2' })
  assert.deepEqual(await queue.send(other), { status: 'sent' })
  await queue.close()
  await Promise.all(slow)
})

test('the end of the process ends what waits for another try', async () => {
  const { queue, clock } = openQueue(() => Promise.reject(new MailError('down', false)))
  const result = queue.send(mailTo('jane@example.com'))
  await until('it waits', () => clock.sleeping() === 1)
  await queue.close()
  assert.equal((await result).status, 'failed')
})

test('the settings of mail are a server with a whole sign-in and a sender, and each needs the other', () => {
  const url = (text: string) => mailSettingSpecs.smtpUrl.read(text) !== undefined
  for (const right of ['smtp://mail.example.com', 'smtps://a%40b:c@mail.example.com:465', 'smtp://127.0.0.1:2525/'])
    assert.ok(url(right), right)
  for (const wrong of [
    'mail.example.com',
    'https://mail.example.com',
    'smtp://me@host',
    'smtp://host/path?x',
    'smtp://%:%@h',
  ])
    assert.ok(!url(wrong), wrong)
  assert.deepEqual(parseSender('Aglet Tags <a@example.com>'), { name: 'Aglet Tags', address: 'a@example.com' })
  for (const wrong of [
    '',
    'a@example.com, b@example.com',
    'A\r\nBcc: x <a@example.com>',
    '<a@example.com',
    'A <a b@c>',
  ])
    assert.equal(parseSender(wrong), undefined, wrong)
  assert.match(findMailConflict({ smtpUrl: 'smtp://x' }) ?? '', /AGLET_SMTP_SENDER/)
  assert.match(findMailConflict({ smtpSender: 'a@b' }) ?? '', /AGLET_SMTP_URL/)
  assert.equal(findMailConflict({ smtpUrl: 'smtp://x', smtpSender: 'a@b' }), undefined)
})
