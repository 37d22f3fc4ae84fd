import type { Settings } from '#app/core/process/env.server.ts'

/**
 * Finds signs of a proxy while TRUSTED_PROXIES says that there is none: all visitors then have the proxy's address, and so share
 * the limits of one network.
 * @param isForwarded whether requests have a header of a proxy
 * @returns a Spanish warning with the remedy; undefined without such signs
 */
export function proxyWarning(
  { publicUrl, trustedProxies }: Pick<Settings, 'publicUrl' | 'trustedProxies'>,
  isForwarded = false,
): string | undefined {
  const isSecure = publicUrl.startsWith('https:')
  if (trustedProxies > 0 || !(isSecure || isForwarded)) return undefined
  const observation = isForwarded
    ? 'Las visitas llegan a través de un servidor intermedio'
    : 'PUBLIC_URL es de https, que atiende un servidor intermedio'
  return `${observation}, y TRUSTED_PROXIES dice que no hay ninguno: todas cuentan como una sola red y gastan los mismos límites. Pon en TRUSTED_PROXIES cuántos hay delante del sitio (1, si es uno) y vuelve a iniciarlo.`
}
