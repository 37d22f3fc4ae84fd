// A liveness probe for containers and deploy/instalar.sh: the exit code is 0 if the site at HOST and PORT serves, otherwise 1.
const { PORT = '3000', HOST = '127.0.0.1' } = process.env
const host = HOST === '0.0.0.0' ? '127.0.0.1' : HOST === '::' ? '[::1]' : HOST.includes(':') ? `[${HOST}]` : HOST
const response = await fetch(`http://${host}:${PORT}/healthz`, { signal: AbortSignal.timeout(4_000) }).catch(() => null)
process.exit(response?.ok ? 0 : 1)
