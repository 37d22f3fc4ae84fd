/** Tells the server that an upload is not needed any more. If the request is lost, the server's sweep makes up for it. */
export function dropUploadOf(headers: Record<string, string>, url: string | undefined): void {
  if (!url) return
  fetch(url, { method: 'DELETE', headers: { ...headers, 'tus-resumable': '1.0.0' }, keepalive: true }).catch(() => {})
}
