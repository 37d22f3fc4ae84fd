/** Patterns in the order of the search, since browsers name other browsers, too: the user agent of Edge names Chrome and Safari. */
const BROWSERS: [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFBAN\/|\bFBAV\//, 'Facebook'],
  [/\bFxiOS\/|\bFirefox\//, 'Firefox'],
  [/\bCriOS\/|\bChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

/** Patterns in the order of the search, since Android names Linux, too. */
const DEVICES: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'Chromebook'],
  [/\bMac OS X\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
]

const findName = (namesByPattern: [RegExp, string][], text: string) =>
  namesByPattern.find(([pattern]) => pattern.test(text))?.[1]

/** Returns a name for the owner's list of sessions, such as «Chrome en Android». @param userAgent the User-Agent header */
export function deviceNameOf(userAgent: string | null): string {
  const [browser, device] = [findName(BROWSERS, userAgent ?? ''), findName(DEVICES, userAgent ?? '')]
  if (browser && device) return `${browser} en ${device}`
  return browser ?? device ?? 'Un programa'
}
