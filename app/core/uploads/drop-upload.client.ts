/** Returns the header that names the submission to which an upload belongs. */
export const ownerHeader = (submissionId: string) => ({ 'x-entrega': submissionId })

/** Deletes an upload at the server. If the request is lost, the server's sweep deletes the upload later. */
export function dropUpload(submissionId: string, url: string | undefined): void {
  if (!url) return
  const headers = { ...ownerHeader(submissionId), 'tus-resumable': '1.0.0' }
  fetch(url, { method: 'DELETE', headers, keepalive: true }).catch(() => {})
}
