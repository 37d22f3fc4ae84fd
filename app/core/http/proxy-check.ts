import type { Settings } from '#app/core/process/env.server.ts'

/**
 * What is wrong with how the site counts its visitors' networks, and how to mend it; undefined: nothing. Behind a proxy
 * that TRUSTED_PROXIES does not count, everybody comes from the proxy's address, and uses up one limit.
 * @param isForwarded whether requests come that say they were handed on
 */
export function uncountedProxy(
  { publicUrl, trustedProxies }: Pick<Settings, 'publicUrl' | 'trustedProxies'>,
  isForwarded = false,
): string | undefined {
  const isSecure = publicUrl.startsWith('https:')
  if (trustedProxies > 0 || !(isSecure || isForwarded)) return undefined
  const seen = isForwarded
    ? 'Las visitas llegan a través de un servidor intermedio'
    : 'PUBLIC_URL es de https, que atiende un servidor intermedio'
  return `${seen}, y TRUSTED_PROXIES dice que no hay ninguno: todas cuentan como una sola red y gastan los mismos límites. Pon en TRUSTED_PROXIES cuántos hay delante del sitio (1, si es uno) y vuelve a iniciarlo.`
}
