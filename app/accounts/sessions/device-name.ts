const NAVEGADORES: [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFBAN\/|\bFBAV\//, 'Facebook'],
  [/\bFxiOS\/|\bFirefox\//, 'Firefox'],
  [/\bCriOS\/|\bChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const APARATOS: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'Chromebook'],
  [/\bMac OS X\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
]

const found = (list: [RegExp, string][], text: string) => list.find(([pattern]) => pattern.test(text))?.[1]

/**
 * A device as its owner knows it again among others: «Chrome en Android».
 * @param userAgent what the browser says of itself
 */
export function nombreDeEquipo(userAgent: string | null): string {
  const [navegador, aparato] = [found(NAVEGADORES, userAgent ?? ''), found(APARATOS, userAgent ?? '')]
  if (navegador && aparato) return `${navegador} en ${aparato}`
  return navegador ?? aparato ?? 'Un programa'
}
