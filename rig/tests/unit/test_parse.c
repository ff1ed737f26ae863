// SPDX-License-Identifier: GPL-2.0-or-later
/* results/parse-*: small inputs of our own, format by format, good and bad. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "results/parse.h"
#include "results/text.h"

#define WANT_MAX 14

/* A tool's output and some of the numbers that it must give, or the code of its error. */
struct sample {
	const char *kind, *text;
	struct want {
		const char *name;
		double value;
		const char *unit, *printed;
	} want[WANT_MAX];
	const char *code;
};

/* ---- fio ---- */

#define TERSE_RW(kib, bw, iops)                                                                    \
	kib ";" bw ";" iops ";1001;0;0;0.0;0.0;0;90;0.75;0.5;"                                     \
	    "1.000000%=0;50.000000%=7;99.000000%=12;99.900000%=40;0%=0;0%=0;0%=0;0%=0;0%=0;0%=0;"  \
	    "0%=0;0%=0;0%=0;0%=0;0%=0;0%=0;0%=0;0%=0;0%=0;0%=0;0;90;1.5;0.5;1;2;100.0%;1.5;0.0;"
#define TERSE_CPU "37.000000%;62.900000%;4;0;10;100.0%;0.0%;some; description"
#define V5	  "3;10;20;15;2;3;"

/* clang-format off */
static const struct sample fio_samples[] = {
	{ "fio",
	  "fio: text\n3;fio-3.33;j1;0;0;" TERSE_RW("100", "10", "500") TERSE_RW("0", "0", "0")
	  TERSE_CPU "\n3;fio-3.33;j1;0;0;" TERSE_RW("100", "10", "600") TERSE_RW("0", "0", "0")
	  TERSE_CPU "\n",
	  { { "j1.read.iops", 500, "IOPS", "IOPS" },
	    { "j1.read.bw_bytes", 10240, "bytes/s", "KiB/s" },
	    { "j1.read.io_bytes", 102400, "bytes", "KiB" },
	    { "j1.read.runtime_ns", 1001e6, "ns", "ms" },
	    { "j1.read.clat_ns.mean", 750, "ns", "us" },
	    { "j1.read.clat_ns.p50", 7000, "ns", "us" },
	    { "j1.read.clat_ns.p99", 12000, "ns", "us" },
	    { "j1.read.lat_ns.mean", 1500, "ns", "us" },
	    { "j1.usr_cpu", 37, "%", "%" },
	    { "j1.ctx", 4, "count", "count" },
	    { "j1.read.iops#2", 600, "IOPS", "IOPS" } }, NULL },
	{ "fio",
	  "2;t;0;0;" TERSE_RW("1", "1", "11") TERSE_RW("1", "1", "22") TERSE_RW("1", "1", "33")
	  TERSE_CPU,
	  { { "t.trim.iops", 33, "IOPS", "IOPS" }, { "t.usr_cpu", 37, "%", "%" } }, NULL },
	{ "fio", "2;t;0;0;" TERSE_RW("1", "1", "11") TERSE_RW("1", "1", "22") TERSE_CPU,
	  { { "t.write.iops", 22, "IOPS", "IOPS" }, { "t.usr_cpu", 37, "%", "%" } }, NULL },
	{ "fio",
	  "5;fio-3.40;t;0;0;" TERSE_RW("1", "1", "1") V5 TERSE_RW("1", "1", "2") V5
	  TERSE_RW("1", "1", "3") V5 TERSE_CPU,
	  { { "t.trim.iops", 3, "IOPS", "IOPS" }, { "t.read.iops_avg", 15, "IOPS", "IOPS" },
	    { "t.sys_cpu", 62.9, "%", "%" } }, NULL },
	{ "fio", "3;fio-3.33;t;0;28;" TERSE_RW("1", "1", "1") TERSE_RW("1", "1", "1") TERSE_CPU,
	  { { NULL } }, "fio-error" },
	{ "fio", "3;fio-3.33;t;0;0;" TERSE_RW("1", "1", "1"), { { NULL } }, "fio-broken" },
	{ "fio", "3;fio-3.33;t;0;0;" TERSE_RW("1", "1", "1e300") TERSE_RW("1", "1", "1") TERSE_CPU,
	  { { NULL } }, "fio-range" },
	{ "fio", "3;;;;;;;;;;;;;;\n", { { NULL } }, "fio-broken" },
	{ "fio",
	  "fio-2.2.10\nrr: (groupid=0, jobs=8): err= 0: pid=1: Fri Apr  7 2017\n"
	  "  read : io=4096.0MB, bw=2,523KB/s, iops=152764, runt=  6864msec\n"
	  "    clat (usec): min=16, max=27859, avg=825.75, stdev=781.28\n"
	  "    clat percentiles (usec):\n     | 50.00th=[  692], 60.00th=[  812],\n"
	  "     | 99.00th=[ 3216], 99.50th=[ 4704], 99.90th=[10688], 99.95th=[13248],\n"
	  "    lat (usec) : 20=0.01%, 50=0.04%\n"
	  "  cpu          : usr=3.28%, sys=7.99%, ctx=60641, majf=0, minf=200\n",
	  { { "rr.read.iops", 152764, "IOPS", "IOPS" },
	    { "rr.read.bw_bytes", 2523 * 1024, "bytes/s", "KB/s" },
	    { "rr.read.io_bytes", 4096.0 * 1048576, "bytes", "MB" },
	    { "rr.read.runtime_ns", 6864e6, "ns", "msec" },
	    { "rr.read.clat_ns.mean", 825750, "ns", "usec" },
	    { "rr.read.clat_ns.p50", 692000, "ns", "usec" },
	    { "rr.read.clat_ns.p999", 10688000, "ns", "usec" },
	    { "rr.sys_cpu", 7.99, "%", "%" } }, NULL },
	{ "fio",
	  "nt: (groupid=0, jobs=2): err= 0: pid=29795\n"
	  "  write: IOPS=1104k, BW=4MiB/s (4524MB/s)(8MiB/1001msec); 0 zone resets\n"
	  "    clat (nsec): min=460, max=2682.1k, avg=632.65, stdev=3619.25\n"
	  "   iops        : min=1, max=3, avg=2.50, stdev= 0.25, samples=2\n",
	  { { "nt.write.iops", 1104000, "IOPS", "IOPS" },
	    { "nt.write.bw_bytes", 4194304, "bytes/s", "MiB/s" },
	    { "nt.write.io_bytes", 8388608, "bytes", "MiB" },
	    { "nt.write.runtime_ns", 1001e6, "ns", "msec" },
	    { "nt.write.iops_avg", 2.5, "IOPS", "IOPS" } }, NULL },
	{ "fio", "x: (groupid=0, jobs=1): err=28 (file:a.c:1, error=No space): pid=1\n"
	  "  write: IOPS=10, BW=4MiB/s (4MB/s)(8MiB/1001msec)\n", { { NULL } }, "fio-error" },
	{ "fio", "x: (groupid=0, jobs=1): err= 0: pid=1\n", { { NULL } }, "fio-idle" },
	{ "fio", "fio: engine libaio not loadable\n", { { NULL } }, "fio-none" },
};

/* ---- iperf ---- */

#define IPERF3(end) "{\"start\": {\"test_start\": {\"num_streams\": 2, \"reverse\": 1}}, " \
	"\"intervals\": [{\"sum\": {\"bits_per_second\": 800}}], \"end\": {" end "}}"
#define STREAM "{\"event\": \"interval\", \"data\": {\"sum\": {\"bits_per_second\": 8}}}\n"

static const struct sample iperf_samples[] = {
	{ "iperf",
	  "warning: x\n" IPERF3("\"sum_sent\": {\"bits_per_second\": 8000, \"bytes\": 1000,"
	  " \"seconds\": 1.5, \"retransmits\": 3}, \"sum_received_bidir_reverse\":"
	  " {\"bits_per_second\": 80, \"jitter_ms\": 0.5, \"lost_packets\": -1}"),
	  { { "sum_sent.bw_bytes", 1000, "bytes/s", "bits/s" },
	    { "sum_sent.bytes", 1000, "bytes", "bytes" },
	    { "sum_sent.seconds", 1.5, "s", "s" },
	    { "sum_sent.retransmits", 3, "count", "count" },
	    { "sum_received_bidir_reverse.bw_bytes", 10, "bytes/s", "bits/s" },
	    { "sum_received_bidir_reverse.jitter_ns", 5e5, "ns", "ms" },
	    { "sum_received_bidir_reverse.lost_packets", -1, "count", "count" },
	    { "streams", 2, "count", "count" }, { "reverse", 1, "count", "count" },
	    { "interval.bw_bytes", 100, "bytes/s", "bits/s" },
	    { "intervals", 1, "count", "count" } }, NULL },
	{ "iperf", "[\n" IPERF3("\"sum\": {\"bits_per_second\": 8}") ","
	  IPERF3("\"sum\": {\"bits_per_second\": 16}") "]",
	  { { "sum.bw_bytes", 1, "bytes/s", "bits/s" },
	    { "sum.bw_bytes#2", 2, "bytes/s", "bits/s" } }, NULL },
	{ "iperf", STREAM "{\"event\": \"end\", \"data\": {\"sum_sent\":"
	  " {\"bits_per_second\": 88}}}\n",
	  { { "sum_sent.bw_bytes", 11, "bytes/s", "bits/s" },
	    { "interval.bw_bytes", 1, "bytes/s", "bits/s" } }, NULL },
	{ "iperf", STREAM, { { NULL } }, "iperf-none" },
	{ "iperf", STREAM "{\"event\": \"error\", \"data\": \"busy\"}", { { NULL } },
	  "iperf-error" },
	{ "iperf", "{\"end\": {\"sum\": {\"bits_per_second\": 8}}, \"error\": \"refused\"}",
	  { { NULL } }, "iperf-error" },
	{ "iperf", "{\"end\": {}}", { { NULL } }, "iperf-none" },
	{ "iperf", "{\"end\": {\"sum\": {\"bits_per_second\": -8}}}", { { NULL } }, "iperf-range" },
	{ "iperf", "{\"end\": {\"sum\": {\"bits_per_second\": 8", { { NULL } }, "iperf-broken" },
	{ "iperf",
	  "Connecting to host 127.0.0.1, port 5391\n"
	  "[  5][TX-C]   0.00-1.00   sec  12.0 MBytes   101 Mbits/sec    0   1.12 MBytes       \n"
	  "[  5][TX-C]   1.00-2.00   sec  12.0 MBytes   102 Mbits/sec  (omitted)\n"
	  "[  5][TX-C]   0.00-1.00   sec  12.0 MBytes   101 Mbits/sec    7             sender\r\n"
	  "[  5][TX-C]   0.00-1.00   sec  12.0 MBytes   100 Mbits/sec                  receiver\n",
	  { { "sum.TX-C.interval.bw_bytes", 12625000, "bytes/s", "Mbits/sec" },
	    { "sum.TX-C.sender.bw_bytes", 12625000, "bytes/s", "Mbits/sec" },
	    { "sum.TX-C.sender.bytes", 12.0 * 1048576, "bytes", "MBytes" },
	    { "sum.TX-C.sender.retransmits", 7, "count", "count" },
	    { "sum.TX-C.receiver.bw_bytes", 12500000, "bytes/s", "Mbits/sec" },
	    { "sum.TX-C.receiver.seconds", 1, "s", "sec" } }, NULL },
	{ "iperf",
	  "Client connecting to 10.0.0.1, UDP port 5016\n"
	  "[  3]  0.0- 1.0 sec   123 KBytes  1011 Kbits/sec\n"
	  "[  4]  0.0- 1.0 sec   123 KBytes  1012 Kbits/sec\n"
	  "[SUM]  0.0- 1.0 sec   247 KBytes  2023 Kbits/sec\n"
	  "[  3]  0.0- 3.0 sec   368 KBytes   999 Kbits/sec\n"
	  "[  3] Server Report:\n"
	  "[  3]  0.0- 3.0 sec   369 KBytes  1003 Kbits/sec   0.188 ms    2/  256 (0%)\n"
	  "[SUM]  0.0- 3.0 sec   735 KBytes   8 MBytes/sec\n"
	  "Client connecting to 10.0.0.1, TCP port 5016\n"
	  "[  3]  0.0-10.0 sec   1 GBytes  8 bits/sec\n",
	  { { "stream1.interval.bw_bytes", 126375, "bytes/s", "Kbits/sec" },
	    { "stream2.bw_bytes", 126500, "bytes/s", "Kbits/sec" },
	    { "stream1.bw_bytes", 124875, "bytes/s", "Kbits/sec" },
	    { "stream1.server.bw_bytes", 125375, "bytes/s", "Kbits/sec" },
	    { "stream1.server.jitter_ns", 188000, "ns", "ms" },
	    { "stream1.server.lost_packets", 2, "count", "count" },
	    { "stream1.server.packets", 256, "count", "count" },
	    { "sum.bw_bytes", 8.0 * 1048576, "bytes/s", "MBytes/sec" },
	    { "sum.bytes", 735.0 * 1024, "bytes", "KBytes" },
	    { "sum.bw_bytes#2", 1, "bytes/s", "bits/sec" },
	    { "sum.bytes#2", 1073741824, "bytes", "GBytes" } }, NULL },
	{ "iperf", "iperf3: error - unable to connect to server: Connection refused\n",
	  { { NULL } }, "iperf-error" },
	{ "iperf", "[  3]  0.0-10.0 sec   1 GBytes  8 bits/sec\nwrite failed: Broken pipe\n",
	  { { NULL } }, "iperf-error" },
	{ "iperf", "[  3]  0.0-10.0 sec   1e300 GBytes  8 bits/sec\n", { { NULL } }, "iperf-range" },
	{ "iperf", "[  3]  0.0-10.0 sec   nan GBytes  8 bits/sec\n", { { NULL } }, "iperf-none" },
	{ "iperf", "[", { { NULL } }, "iperf-broken" },
	{ "iperf", "[[[[\n[  3]  0.0-\n[]]\n[  3]  -1-2 sec\n", { { NULL } }, "iperf-none" },
};

/* ---- dd ---- */

#define RECORDS "1024+0 records in\n1023+1 records out\n"

static const struct sample dd_samples[] = {
	{ "dd", RECORDS "1000 bytes (1.0 kB, 1000 B) copied, 0.5 s, 2.0 kB/s\r\n",
	  { { "bytes", 1000, "bytes", "bytes" }, { "seconds", 0.5, "s", "s" },
	    { "bw_bytes", 2000, "bytes/s", "kB/s" },
	    { "records_in.full", 1024, "count", "count" },
	    { "records_out.full", 1023, "count", "count" },
	    { "records_out.partial", 1, "count", "count" } }, NULL },
	{ "dd", "512 bytes copied, 2 s, 256 B/s", { { "bw_bytes", 256, "bytes/s", "B/s" } }, NULL },
	{ "dd", "1000 Bytes (1,1 GB, 1,0 GiB) kopiert, 0,25 s, 81,8 GB/s\n512 Bytes kopiert, "
	  "7,8125e-05 s, 6,6 MB/s\n",
	  { { "seconds", 0.25, "s", "s" }, { "bytes#2", 512, "bytes", "bytes" },
	    { "seconds#2", 7.8125e-05, "s", "s" },
	    { "bw_bytes#2", 6553600, "bytes/s", "MB/s" } }, NULL },
	{ "dd", "512 octets copiés, 5,8859e-05 s, 8,7 MB/s\n1000 octets (1,1 GB) "
	  "copiés, 0,25 s, 8,7 MB/s\n",
	  { { "bytes", 512, "bytes", "bytes" }, { "seconds", 5.8859e-05, "s", "s" },
	    { "bytes#2", 1000, "bytes", "bytes" } }, NULL },
	{ "dd", "скопійовано 1000 байтів (1,1 GB, 1,0 GiB), 0,25 s, 89,0 GB/s\n",
	  { { "bytes", 1000, "bytes", "bytes" }, { "bw_bytes", 4000, "bytes/s", "GB/s" } }, NULL },
	{ "dd", "1000 字节 (1.1 GB, 1.0 GiB) 已复制，0.25 s，83.3 GB/s\n512 字节已复制，6.5268e-05 s，7.8 MB/s",
	  { { "bytes", 1000, "bytes", "bytes" }, { "bw_bytes", 4000, "bytes/s", "GB/s" },
	    { "bytes#2", 512, "bytes", "bytes" } }, NULL },
	{ "dd", "1000 バイト (1.1 GB, 1.0 GiB) コピーされました、 0.25 s、 88.6 GB/s",
	  { { "bytes", 1000, "bytes", "bytes" }, { "seconds", 0.25, "s", "s" } }, NULL },
	{ "dd", "1000 bytes (1.0GB) copied, 0.25 seconds, 84.8GB/s",
	  { { "bw_bytes", 4000, "bytes/s", "GB/s" } }, NULL },
	{ "dd", "1000 bytes (1.0 G) copied, 0.25 s, 38 G/s", { { "bw_bytes", 4000, "bytes/s", "G/s" } },
	  NULL },
	{ "dd", "1000 bytes (4.2 MB) copied, 0.25 s, 1.3 GB/s",
	  { { "bw_bytes", 4000, "bytes/s", "GB/s" } }, NULL },
	{ "dd", "1000 bytes (1.0 kB) copied, 0.0 s, Infinity B/s", { { "seconds", 0, "s", "s" } }, NULL },
	{ "dd", "1000 bytes transferred in 0.25 secs (4000 bytes/sec)",
	  { { "bytes", 1000, "bytes", "bytes" }, { "bw_bytes", 4000, "bytes/s", "bytes/sec" } },
	  NULL },
	{ "dd", "2022-02-04 10:46:25 WARNING unit.ceph-osd/0.a logger.go:60 512 bytes copied, 2 s, 4 kB/s",
	  { { "bytes", 512, "bytes", "bytes" } }, NULL },
	{ "dd", RECORDS, { { "records_in.full", 1024, "count", "count" } }, NULL },
	{ "dd", "dd: warning: partial read (3 bytes); suggest iflag=fullblock\n" RECORDS
	  "512 bytes copied, 2 s, 256 B/s", { { "bytes", 512, "bytes", "bytes" } }, NULL },
	/* status=progress, and a console that begins its lines with CR */
	{ "dd", "\r100 bytes copied, 1 s, 100 B/s\r200 bytes copied, 2 s, 100 B/s\n" RECORDS
	  "300 bytes copied, 3 s, 100 B/s\n", { { "bytes", 300, "bytes", "bytes" } }, NULL },
	{ "dd", "1+0 records in\n\r1+0 records out\n\r300 bytes copied, 3 s, 100 B/s\n\r",
	  { { "bytes", 300, "bytes", "bytes" }, { "records_out.full", 1, "count", "count" } }, NULL },
	{ "dd", "\r100 bytes copied, 1 s, 100 B/s\r200 bytes copied, 2 s, 100 B/s", { { NULL } },
	  "dd-none" },
	{ "dd", "dd: error writing '/dev/full': No space left on device\n" RECORDS
	  "0 bytes copied, 0.0004 s, 0.0 kB/s\n", { { NULL } }, "dd-error" },
	{ "dd", "/bin/dd: Fehler beim Schreiben\n", { { NULL } }, "dd-error" },
	{ "dd", "nan bytes copied, nan s, nan B/s\n", { { NULL } }, "dd-none" },
	{ "dd", "99999999999999999999999 bytes copied, 1 s, 1 B/s\n", { { NULL } }, "dd-none" },
	{ "dd", "-5 bytes copied, -1 s, 1 B/s\n", { { NULL } }, "dd-none" },
	{ "dd", ", , , / ,/\n, s, /s\n,1 s, /s", { { NULL } }, "dd-none" },
};

/* ---- interrupts ---- */

static const struct sample interrupts_samples[] = {
	{ "interrupts",
	  "           CPU0       CPU2       \n"
	  " 23:    1   2     GICv3  30 Level     arch_timer\n"
	  "IPI0:2768808080 5   Rescheduling interrupts\n"
	  "I/O:  3 4\n"
	  "Err:          7\n"
	  "timestamp: 1424904532.915\n"
	  "           CPU0       CPU2       \n"
	  " 23:    10   20     GICv3  30 Level     arch_timer\n",
	  { { "23.total", 3, "count", "count" }, { "23.cpu0", 1, "count", "count" },
	    { "23.cpu2", 2, "count", "count" }, { "IPI0.total", 2768808085, "count", "count" },
	    { "I/O.total", 7, "count", "count" }, { "Err.total", 7, "count", "count" },
	    { "23.total#2", 30, "count", "count" } }, NULL },
	{ "interrupts", "    CPU0\n  HI:  7\n TIMER: 8", { { "TIMER.cpu0", 8, "count", "count" } },
	  NULL },
	{ "interrupts",
	  "cpu  10 2 30 4 5 6 7 8 9 10\ncpu0 1 2 3\nintr 99 1 2 3\nctxt 5\nbtime 77\nsoftirq 6 1\n",
	  { { "cpu.user", 1e8, "ns", "USER_HZ" }, { "cpu.guest_nice", 1e8, "ns", "USER_HZ" },
	    { "cpu0.system", 3e7, "ns", "USER_HZ" }, { "intr.total", 99, "count", "count" },
	    { "softirq.total", 6, "count", "count" }, { "ctxt", 5, "count", "count" },
	    { "btime", 77, "s", "s" } }, NULL },
	{ "interrupts", "  CPU0 CPU1 CPU2\n 1: 5 6\n", { { NULL } }, "interrupts-broken" },
	{ "interrupts", "  CPU0 CPU1 CPU2\n 1: 5 6 x\n 2: 1 2 3\n",
	  { { "1.total", 11, "count", "count" }, { "2.cpu2", 3, "count", "count" } }, NULL },
	{ "interrupts", "BZh91AY&SY0", { { NULL } }, "interrupts-none" },
	{ "interrupts", "CPUs are\n 1: 5 6\n", { { NULL } }, "interrupts-none" },
	{ "interrupts", "  CPU0\n", { { NULL } }, "parse-none" },
	{ "interrupts", "  CPU0\n 1: nan x\n 2: -5 x\n 3: 99999999999999999999999\n", { { NULL } },
	  "parse-none" },
};

/* ---- interrupts per second, function profiler ---- */

#define TWO_CPUS "           CPU0       CPU2       \n"

static const struct sample rate_samples[] = {
	{ "irqrate",
	  "# irqrate match=timer\n# t_ns=1000000000\n" TWO_CPUS
	  " 7:   100  40   MIPS  7 timer\n18:    4 5   MIPS 2 eth0\nERR:  3\n"
	  "# t_ns=3000000000\n" TWO_CPUS
	  " 7:   300  50   MIPS  7 timer\n18:    4 6   MIPS 2 eth0\nERR:  9\n",
	  { { "seconds", 2, "s", "s" }, { "7.rate", 105, "1/s", "1/s" },
	    { "18.rate", 0.5, "1/s", "1/s" }, { "match.rate", 105, "1/s", "1/s" },
	    { "match.cpu2.rate", 5, "1/s", "1/s" }, { "total.cpu0.rate", 100, "1/s", "1/s" },
	    { "total.rate", 105.5, "1/s", "1/s" } }, NULL },
	/* 32 bits that wrap; a counter that begins anew has no rate for that interval */
	{ "irqrate",
	  "# t_ns=1\nCPU0\n 7: 4294967290\n 8: 1000\n# t_ns=1000000001\nCPU0\n 7: 4\n 8: 10\n"
	  "# t_ns=2000000001\nCPU0\n 7: 14\n 8: 70\n",
	  { { "7.rate", 10, "1/s", "1/s" }, { "8.rate", 60, "1/s", "1/s" } }, NULL },
	/* a CPU that goes away and comes back: what it did meanwhile is nobody's */
	{ "irqrate",
	  "# t_ns=1\nCPU0 CPU1\n 7: 0 0\n# t_ns=1000000001\nCPU0\n 7: 10\n"
	  "# t_ns=2000000001\nCPU0 CPU1\n 7: 20 500\n# t_ns=3000000001\nCPU0 CPU1\n 7: 30 507\n",
	  { { "total.cpu0.rate", 10, "1/s", "1/s" }, { "total.cpu1.rate", 7, "1/s", "1/s" },
	    { "7.rate", 17, "1/s", "1/s" } }, NULL },
	/* a row that comes later counts from then on */
	{ "irqrate",
	  "# t_ns=1\nCPU0\n 7: 1\n# t_ns=1000000001\nCPU0\n 7: 2\n 9: 100\n"
	  "# t_ns=2000000001\nCPU0\n 7: 3\n 9: 105\n",
	  { { "9.rate", 5, "1/s", "1/s" }, { "total.rate", 6, "1/s", "1/s" } }, NULL },
	{ "irqrate", "# t_ns=1\nCPU0\n 7: 1\n", { { NULL } }, "irqrate-none" },
	{ "irqrate", "CPU0\n 7: 1\n", { { NULL } }, "irqrate-none" },
	{ "irqrate", "# t_ns=2\nCPU0\n 7: 1\n# t_ns=2\nCPU0\n 7: 1\n", { { NULL } },
	  "irqrate-broken" },
	{ "irqrate", "# t_ns=2\n# t_ns=3\nCPU0\n 7: 1\n", { { NULL } }, "irqrate-broken" },
	{ "irqrate", "# t_ns=2\nCPU0\n 7: 1\n# t_ns=3\n", { { NULL } }, "irqrate-broken" },
	{ "irqrate", "# t_ns=1\nCPU9999\n 7: 1\n", { { NULL } }, "irqrate-broken" },
	{ "irqrate",
	  "# t_ns=1\nCPU0 CPU1 CPU2\n 7: 1 1 1\n# t_ns=5\nCPU0 CPU1 CPU2\n 7: 2 2", { { NULL } },
	  "irqrate-broken" },
	{ "funcgraph",
	  "# function0\n"
	  "  Function                               Hit    Time            Avg             s^2\n"
	  "  --------                               ---    ----            ---             ---\n"
	  "  usleep_range_state                     300    18000.500 us    60.001 us       3.100 us\n"
	  "  schedule                                 2    10.000 us       5.000 us        0.000 us\n"
	  "# function1\n"
	  "  Function                               Hit    Time            Avg             s^2\n"
	  "  --------                               ---    ----            ---             ---\n"
	  "  usleep_range_state                     100    21999.500 us    219.995 us      3.100 us\n",
	  { { "usleep_range_state.count", 400, "count", "count" },
	    { "usleep_range_state.total_ns", 4e7, "ns", "us" },
	    { "usleep_range_state.mean_ns", 1e5, "ns", "us" },
	    { "schedule.mean_ns", 5000, "ns", "us" } }, NULL },
	{ "funcgraph", "  Function    Hit    Time\n  --------    ---    ----\n", { { NULL } },
	  "funcgraph-idle" },
	/* without the graph tracer there is no time */
	{ "funcgraph", "  Function    Hit\n  --------    ---\n  schedule   7\n", { { NULL } },
	  "funcgraph-idle" },
	{ "funcgraph", "usleep_range_state 300 1.0 us\n", { { NULL } }, "funcgraph-none" },
};

/* ---- ethtool, vnstat, pktgen ---- */

static const struct sample net_samples[] = {
	{ "ethtool",
	  "user@host:~# ethtool -S eth0\nNIC statistics:\n     rx_packets: 232850\n"
	  "     rx_bytes: 18446744073709551615\n     [0]: tx_drops: 7\n     [1]: tx_drops: 0x7\n"
	  "     temperature: -5\n"
	  "user@host:~# \n",
	  { { "rx_packets", 232850, "count", "count" },
	    { "rx_bytes", 18446744073709551615.0, "bytes", "bytes" },
	    { "temperature", -5, "count", "count" },
	    { "[0]: tx_drops", 7, "count", "count" } }, NULL },
	{ "ethtool", "Standard stats for eth0:\neth-mac-FramesTransmittedOK: 902623288966\n",
	  { { "eth-mac-FramesTransmittedOK", 902623288966, "count", "count" } }, NULL },
	{ "ethtool",
	  "Settings for eth0:\n\tSpeed: 1000Mb/s\n\tDuplex: Half\n\tAuto-negotiation: off\n"
	  "netlink error: Operation not permitted\n\tLink detected: yes\n",
	  { { "speed", 125000000, "bytes/s", "Mb/s" }, { "duplex_full", 0, "count", "Half" },
	    { "autonegotiation", 0, "count", "off" }, { "link", 1, "count", "yes" } }, NULL },
	{ "ethtool", "Settings for eth0:\n\tSpeed: Unknown!\n\tLink detected: no\n",
	  { { "link", 0, "count", "no" } }, NULL },
	/* a name of its own that looks like the number of a repeated one; found by fuzzing */
	{ "ethtool", "NIC statistics:\n     a#2: 7\n     a: 1\n     a: 2\n     a: 3\n",
	  { { "a#2", 7, "count", "count" }, { "a", 1, "count", "count" }, { "a#3", 2, "count", "count" }, { "a#4", 3, "count", "count" } },
	  NULL },
	{ "ethtool", "no stats available\n", { { NULL } }, "ethtool-error" },
	{ "ethtool", "driver: virtio_net\nversion: 1.0\n", { { NULL } }, "ethtool-none" },
	{ "ethtool", "NIC statistics:\n:\n: 5\na: b\n", { { NULL } }, "parse-none" },
	{ "vnstat",
	  "{\"jsonversion\":\"2\",\"interfaces\":[{\"name\":\"eth0\",\"traffic\":{\"total\":"
	  "{\"rx\":10,\"tx\":20}}},{\"name\":\"lo\",\"traffic\":{\"total\":{\"rx\":1,\"tx\":2}}}]}",
	  { { "eth0.total.rx_bytes", 10, "bytes", "bytes" },
	    { "lo.total.tx_bytes", 2, "bytes", "bytes" } }, NULL },
	{ "vnstat",
	  "{\"jsonversion\":\"1\",\"interfaces\":[{\"id\":\"eth0\",\"traffic\":{\"total\":"
	  "{\"rx\":10,\"tx\":20}}}]}", { { "eth0.total.rx_bytes", 10240, "bytes", "KiB" } }, NULL },
	{ "vnstat",
	  "{\"jsonversion\":\"2\",\"interface\":\"lo\",\"sampletime\":5}\n"
	  "{\"index\":0,\"rx\":{\"bytespersecond\":7,\"packets\":3},\"tx\":{\"bytes\":9}}\n"
	  "{\"index\":1,\"rx\":{\"bytespersecond\":8,\"totalbytes\":5}}\n"
	  "{\"seconds\":9,\"rx\":{\"totalbytes\":6,\"totalpackets\":7}}\n",
	  { { "lo.rx.bw_bytes", 7, "bytes/s", "bytes/s" }, { "lo.tx.bytes", 9, "bytes", "bytes" },
	    { "lo.rx.packets", 3, "count", "count" }, { "lo.rx.run_bytes", 6, "bytes", "bytes" },
	    { "lo.rx.run_packets", 7, "count", "count" },
	    { "lo.rx.bw_bytes#2", 8, "bytes/s", "bytes/s" } }, NULL },
	{ "vnstat",
	  "Sampling lo...\x1b[1G\x1b[2K1488 packets sampled\nTraffic average for lo\n\n"
	  "      rx        50.15 Mbit/s           248 packets/s\n      tx  2,5 kbit/s  1 packets/s\n",
	  { { "lo.rx.bw_bytes", 6268750, "bytes/s", "Mbit/s" },
	    { "lo.rx.packets_per_s", 248, "1/s", "packets/s" },
	    { "lo.tx.bw_bytes", 312.5, "bytes/s", "kbit/s" } }, NULL },
	{ "vnstat", "   eth0 since 2026-11-30\n\n  rx:  1.50 GiB      tx:  2 KiB      total:  3 GiB\n",
	  { { "eth0.total.rx_bytes", 1.5 * 1073741824, "bytes", "GiB" },
	    { "eth0.total.tx_bytes", 2048, "bytes", "KiB" } }, NULL },
	{ "vnstat",
	  "Monitoring lo...    (press CTRL-C to stop)\n\n   getting traffic...\x1b[1G\x1b[2K"
	  "   rx:     8 kbit/s     1 p/s          tx:     8 bit/s     1 p/s\x1b[1G\x1b[2K"
	  "   rx:    16 kbit/s     1 p/s          tx:    16 bit/s     1 p/s\n",
	  { { "lo.rx.bw_bytes", 2000, "bytes/s", "kbit/s" },
	    { "lo.tx.bw_bytes", 2, "bytes/s", "bit/s" } }, NULL },
	{ "vnstat", "1;ifb0;d;1 KiB;2 B;3 B;0 bit/s;2026-11;4 B;5 B;6 B;0 bit/s;7;8;9",
	  { { "ifb0.day.rx_bytes", 1024, "bytes", "KiB" },
	    { "ifb0.month.tx_bytes", 5, "bytes", "B" },
	    { "ifb0.total.rx_bytes", 7, "bytes", "bytes" } }, NULL },
	{ "vnstat", "Error: Unable to get interface \"x\" statistics.\n", { { NULL } }, "vnstat-error" },
	{ "vnstat", "{\"interfaces\":[{\"name\":\"eth0\",", { { NULL } }, "vnstat-broken" },
	{ "vnstat", "{\"interfaces\":[{\"traffic\":{\"total\":{\"rx\":-1}}}]}", { { NULL } },
	  "vnstat-range" },
	{ "vnstat", "<vnstat>", { { NULL } }, "vnstat-none" },
	{ "vnstat", "1;;;;;;;;;;;;;;\nrx: x tx: y\nrx nan Mbit/s\n", { { NULL } }, "vnstat-none" },
	{ "pktgen",
	  "Current:\n     pkts-sofar: 100000  errors: 0\n"
	  "Result: OK: 15430(c15405+d25) usec, 100000 (60byte,0frags)\n"
	  "  6480562pps 3110Mb/sec (3110669760bps) errors: 4\n",
	  { { "packets_sofar", 100000, "count", "count" }, { "ok", 1, "count", "count" },
	    { "duration_ns", 15430000, "ns", "usec" }, { "packets", 100000, "count", "count" },
	    { "packet_bytes", 60, "bytes", "bytes" }, { "packets_per_s", 6480562, "1/s", "pps" },
	    { "bw_bytes", 388833720, "bytes/s", "bps" }, { "errors", 4, "count", "count" } }, NULL },
	{ "pktgen", "Running:\nStopped: eth4@0\nResult: OK: add_device=eth4@0\n",
	  { { "ok", 1, "count", "count" } }, NULL },
	{ "pktgen", "Result: ERROR: can not add device eth9\n", { { NULL } }, "pktgen-error" },
	{ "pktgen", "Result: Idle\n", { { NULL } }, "pktgen-none" },
	{ "pktgen", "Result:\npps (bps)\npkts-sofar:", { { NULL } }, "pktgen-none" },
};
/* clang-format on */

static void check_want(const struct sample *s, const struct values *values)
{
	for (const struct want *w = s->want; w->name; w++) {
		const struct value *v = values_find(values, w->name);

		if (!v)
			fail_msg("no %s in: %s", w->name, s->text);
		if (fabs(v->value - w->value) > 1e-12 * fabs(w->value))
			fail_msg("%s is %.17g, wanted %.17g", w->name, v->value, w->value);
		assert_string_equal(v->unit, w->unit);
		assert_string_equal(v->printed, w->printed);
	}
}

/* From a copy that ends where the text ends, so that the sanitizer sees a read past it. */
static void check_sample(const struct sample *s)
{
	size_t size = strlen(s->text);
	char *copy = xmalloc(size + 1);
	struct values values = VALUES_INIT;
	struct err err = ERR_INIT;
	int rc;

	memcpy(copy + 1, s->text, size);
	rc = parse_output(parser_find(s->kind), copy + 1, size, &values, &err);
	if (rc && !s->code)
		fail_msg("%s: %s: %s", s->text, err.code, err.message);
	if (!rc && s->code)
		fail_msg("accepted: %s", s->text);
	if (s->code) {
		assert_string_equal(err.code, s->code);
		assert_int_equal(err.blame, BLAME_TEST);
	}
	check_want(s, &values);
	values_release(&values);
	free(copy);
}

#define CHECK_ALL(samples)                                                                         \
	do {                                                                                       \
		for (size_t i = 0; i < sizeof(samples) / sizeof((samples)[0]); i++)                \
			check_sample(&(samples)[i]);                                               \
	} while (0)

static void fio(void **state)
{
	(void)state;
	CHECK_ALL(fio_samples);
}

static void iperf(void **state)
{
	(void)state;
	CHECK_ALL(iperf_samples);
}

static void dd(void **state)
{
	(void)state;
	CHECK_ALL(dd_samples);
}

static void interrupts(void **state)
{
	(void)state;
	CHECK_ALL(interrupts_samples);
}

static void rates(void **state)
{
	(void)state;
	CHECK_ALL(rate_samples);
}

static void net(void **state)
{
	(void)state;
	CHECK_ALL(net_samples);
}

/* Whatever the beginning of a good text is cut to: numbers or an error, no crash. */
static void check_cut(const char *text)
{
	for (size_t n = 0; n < strlen(text); n += 3) {
		char *copy = xmalloc(n + 1);

		memcpy(copy, text, n);
		for (const struct parser *p = parsers; p->kind; p++) {
			struct values values = VALUES_INIT;

			(void)parse_output(p, copy, n, &values, NULL);
			values_release(&values);
		}
		free(copy);
	}
}

static void cut_off(void **state)
{
	(void)state;
	check_cut(fio_samples[0].text);
	check_cut(iperf_samples[0].text);
	check_cut(iperf_samples[10].text);
	check_cut(dd_samples[5].text);
	check_cut(interrupts_samples[0].text);
	for (size_t i = 0; i < sizeof(net_samples) / sizeof(net_samples[0]); i++)
		check_cut(net_samples[i].text);
}

/* One line of many megabytes, and many short ones: time stays proportional to size. */
static void large(void **state)
{
	static const char *const units[] = { "9",   "{",     "[",     "/",	", ",
					     "\r",  "(",     ":",     ";",	"1;",
					     "\n{", "[ 3] ", "CPU0 ", "a: 1\n", "\xff" };
	size_t size = 1 << 20;
	char *text = xmalloc(size + 16);

	(void)state;
	for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
		size_t n = strlen(units[u]);

		for (size_t at = 0; at < size; at += n)
			memcpy(text + at, units[u], n);
		for (const struct parser *p = parsers; p->kind; p++) {
			struct values values = VALUES_INIT;

			assert_int_equal(parse_output(p, text, size, &values, NULL), -1);
			values_release(&values);
		}
	}
	free(text);
}

/* ---- the scanner ---- */

static const struct {
	const char *text;
	double value; /* NAN: no number */
	size_t taken;
} numbers[] = {
	{ "12", 12, 2 },
	{ "0,0131226 s", 0.0131226, 9 },
	{ "6,1793e-05 s", 6.1793e-05, 10 },
	{ "1.5e3x", 1500, 5 },
	{ "7e", 7, 1 },
	{ "1,2,3", 1.2, 3 },
	{ "5, 6", 5, 1 },
	{ "18446744073709551615", 18446744073709551615.0, 20 },
	{ "123456789012345678901234567890", 123456789012345678901234567890.0, 30 },
	{ "1e308", 1e308, 5 },
	{ "1e309", NAN, 0 },
	{ "1e99999999999999", NAN, 0 },
	{ "1e-99999999999999", 0, 17 },
	{ "nan", NAN, 0 },
	{ "-1", NAN, 0 },
	{ ".5", NAN, 0 },
	{ "", NAN, 0 },
};

static void number_scanner(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct text t = text_of(numbers[i].text, strlen(numbers[i].text));
		double n = NAN;

		if (text_number(&t, &n) == isnan(numbers[i].value))
			fail_msg("'%s'", numbers[i].text);
		assert_int_equal(t.p - numbers[i].text, numbers[i].taken);
		if (!isnan(n) && fabs(n - numbers[i].value) > 1e-15 * n)
			fail_msg("'%s' is %.17g", numbers[i].text, n);
	}
}

static void values(void **state)
{
	struct values v = VALUES_INIT;
	char *line;

	(void)state;
	assert_null(values_add(&v, NAN, UNIT_NS, NULL, "x"));
	values_add(&v, 0.1, UNIT_NS, NULL, "a\xff");
	value_label(values_count(&v, 18446744073709551615u, UNIT_COUNT, "n", "a\xff"), "l\xe9", 2);
	values_count(&v, 9007199254740993u, UNIT_COUNT, NULL, "big");
	assert_string_equal(values_count(&v, 1, UNIT_COUNT, NULL, "%.*s", 2, "\0a")->name, "?");
	line = value_line(&v.v[0]);
	assert_string_equal(line, "{\"name\":\"a?\",\"value\":0.1,\"unit\":\"ns\","
				  "\"printed_unit\":\"ns\"}");
	free(line);
	assert_string_equal(v.v[1].name, "a?#2");
	assert_string_equal(v.v[1].label, "l?");
	line = value_line(&v.v[2]);
	assert_non_null(strstr(line, "\"value\":9007199254740993,"));
	free(line);
	values_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fio),
		cmocka_unit_test(iperf),
		cmocka_unit_test(dd),
		cmocka_unit_test(interrupts),
		cmocka_unit_test(rates),
		cmocka_unit_test(net),
		cmocka_unit_test(cut_off),
		cmocka_unit_test(large),
		cmocka_unit_test(number_scanner),
		cmocka_unit_test(values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
