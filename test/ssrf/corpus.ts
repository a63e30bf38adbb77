/** One host of each special-purpose IP range, and the first and last address of the range. */
export const privateV4 =
  `0.0.0.0 0.255.255.255 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254
  169.254.169.254 169.254.0.1 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.170 192.0.2.1 192.31.196.1 192.52.193.1
  192.88.99.1 192.168.0.1 192.168.255.255 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1
  239.255.255.255 240.0.0.1 255.255.255.255`.split(/\s+/)
export const privateV6 = `:: ::1 ::127.0.0.1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:0:127.0.0.1 ::ffff:8.8.8.8
  64:ff9b::8.8.8.8 64:ff9b::7f00:1 64:ff9b:1::1 100::1 100:0:0:1::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1
  2001:3::1 2001:10::1 2001:20::1 2001:1ff:ffff::1 2001:db8::1 2002:7f00:1::1 2002:c0a8:101:: 2002:808:808::1 3fff::1
  3fff:fff:ffff::1 2620:4f:8000::1 4000::1 5f00::1 fc00::1 fd00::1 fd12:3456:789a::1 fdff:ffff::1 fe80::1 febf::1 fec0::1
  ff00::1 ff02::1 ff0e::1`.split(/\s+/)
/** Unusual notations of an address. */
const oddly =
  `http://127.1 http://127.0.1 http://2130706433 http://0x7f000001 http://0x7f.0.0.1 http://0x7F.1 http://0177.0.0.1
  http://017700000001 http://0177.1 http://127.0.0.0x1 http://0 http://0x0 http://00 http://0.0 http://10.1 http://0xa.0x0.0x0.0x1
  http://167772161 http://0xA9FEA9FE http://2852039166 http://0251.0376.0251.0376 http://169.254.43518 http://169.16689662
  http://3232235521 http://0xc0a80001 http://192.168.1 http://0300.0250.0.1 http://①②⑦.⓪.⓪.① http://127。0。0。1
  http://127．0．0．1 http://127｡0｡0｡1 http://1２7.0.0.1 http://127.0.0.1. http://%31%32%37.0.0.1 http://127.0.0.1%2e
  http:/127.0.0.1 http:127.0.0.1 http:///127.0.0.1 http:\\\\127.0.0.1 http://0x7f.1. http://[::]. http://[::1%25lo]
  http://[fe80::1%25eth0] http://[0:0:0:0:0:0:0:1] http://[0000::1] http://[::FFFF:127.0.0.1] http://[::ffff:127.0.0.1]:443`
    .split(/\s+/)
    .map((url) => url.replace(/^http:/, 'https:'))
const badForm = `http://example.com ftp://example.com file:///etc/passwd gopher://example.com:70/_x data:text/plain,x
  javascript:alert(1) ws://example.com wss://example.com blob:https://example.com/x about:blank //example.com example.com
  https:// https://user@example.com https://user:pass@example.com https://:pass@example.com https://127.0.0.1@example.com
  https://example.com@127.0.0.1 https://example.com:80 https://example.com:22 https://example.com:6379
  https://example.com:65536 https://example.com:-1 https://exa%20mple.com https://[::1 https://[127.0.0.1]
  https://256.256.256.256 https://1.2.3.4.5 https://0x100000000 https://`.split(/\s+/)

/** Addresses of every class that point inside, or to a place that a customer may not name. */
export const hostileUrls = [
  ...[...privateV4, ...privateV6.map((address) => `[${address}]`)].map((host) => `https://${host}/`),
  ...oddly,
  ...badForm,
]

/** The DNS answers of a malicious name, one list for each lookup. */
export type Zone = { title: string; answers: readonly (readonly string[])[] }

const inside = [
  '127.0.0.1 10.0.0.1 172.16.0.1 192.168.0.1 169.254.169.254 100.64.0.1 0.0.0.0 198.18.0.1 224.0.0.1 255.255.255.255',
  '::1 :: ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::a00:1 2002:7f00:1:: fc00::1 fd00::1 fe80::1 ff02::1 2001:db8::1',
].flatMap((line) => line.split(' '))

export const zones: readonly Zone[] = [
  ...inside.map((address) => ({ title: `a name of ${address}`, answers: [[address]] })),
  { title: 'a public address beside a private one', answers: [['8.8.8.8', '10.0.0.1']] },
  { title: 'a private address beside a public one', answers: [['10.0.0.1', '8.8.8.8']] },
  { title: 'a public A beside a private AAAA', answers: [['8.8.8.8', 'fd00::1']] },
  { title: 'a private A beside a public AAAA', answers: [['127.0.0.1', '2606:4700::1']] },
  { title: 'more addresses than a name needs', answers: [Array.from({ length: 17 }, (_, n) => `8.8.8.${n}`)] },
  { title: 'an answer that is no address', answers: [['metadata.internal']] },
  { title: 'an address with a zone', answers: [['fe80::1%eth0']] },
  { title: 'an address in another notation', answers: [['0x7f.0.0.1']] },
  { title: 'no address at all', answers: [[]] },
]

/** Targets of redirects. */
export const redirects: readonly string[] = [
  'https://127.0.0.1/ https://[::1]/ https://169.254.169.254/latest/meta-data/ https://10.0.0.1/ https://2130706433/',
  'http://public.example/ https://public.example:22/ https://user:pass@public.example/ file:///etc/passwd data:,x',
  'gopher://public.example/ https://inside.example/ //127.0.0.1/ //[::ffff:127.0.0.1]/ https:\\\\127.0.0.1',
].flatMap((line) => line.split(' '))
