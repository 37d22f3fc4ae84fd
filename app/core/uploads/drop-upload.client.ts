/** Tells the server that a file will not be needed after all. What it does not hear, its sweep makes up for. */
export function dropUploadOf(headers: Record<string, string>, url: string | undefined): void {
  if (!url) return
  fetch(url, { method: 'DELETE', headers: { ...headers, 'tus-resumable': '1.0.0' }, keepalive: true }).catch(() => {})
}
