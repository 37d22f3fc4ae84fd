/**
 * Size of a chunk as the form sends it, and the most that is reserved for an upload beyond its received bytes. By default nginx
 * refuses larger requests (client_max_body_size 1m). Behind a proxy that forwards complete requests only, a cut loses the whole
 * chunk. Measurements with 60 MB over a line of 5 Mbps: five cuts cause 0.9 % more bytes (1.2 % with chunks of 256 KB), and a
 * delay of 150 ms makes the upload 9 % longer (31 % with 256 KB).
 */
export const CHUNK_BYTES = 1_048_576
