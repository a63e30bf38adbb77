/** The host name of a Host header, in lower case: `d.example.com` of `D.example.com.:443`. Empty without a header. */
export const hostName = (host = ''): string => host.replace(/\.?(:\d*)?$/, '').toLowerCase()
