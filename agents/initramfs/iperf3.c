// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iperf3 as one static program: its library (Debian's libiperf-dev) does everything but main().
 * What it would want of OpenSSL and of the SCTP library is answered here with "no": two ends of a
 * cable on a test bench need no passwords. Built by build.sh.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <iperf_api.h>

static struct iperf_test *test;

static void on_signal(int sig)
{
	(void)sig;
	iperf_got_sigend(test);
}

static int serve(void)
{
	int rc;

	do {
		rc = iperf_run_server(test);
		if (rc < 0)
			iperf_err(test, "error - %s", iperf_strerror(i_errno));
		iperf_reset_test(test);
	} while (rc >= -1 && !iperf_get_test_one_off(test));
	return rc < 0;
}

int main(int argc, char **argv)
{
	test = iperf_new_test();
	if (!test || iperf_defaults(test))
		iperf_errexit(NULL, "create new test error - %s", iperf_strerror(i_errno));
	if (iperf_parse_arguments(test, argc, argv) < 0)
		iperf_errexit(test, "parameter error - %s", iperf_strerror(i_errno));
	iperf_catch_sigend(on_signal);
	signal(SIGPIPE, SIG_IGN);
	if (iperf_get_test_role(test) == 's')
		return serve();
	if (iperf_run_client(test) < 0)
		iperf_errexit(test, "error - %s", iperf_strerror(i_errno));
	return 0;
}

/* ---- what is left out ---- */

int check_authentication(void);
int decode_auth_setting(void);
int encode_auth_setting(void);
int iperf_getpass(void);
void *load_privkey_from_base64(void);
void *load_privkey_from_file(void);
void *load_pubkey_from_base64(void);
void *load_pubkey_from_file(void);
int test_load_private_key_from_file(void);
int test_load_pubkey_from_file(void);
int sctp_bindx(int fd, struct sockaddr *addrs, int n, int flags);
void EVP_PKEY_free(void *key);
unsigned long ERR_get_error(void);
char *ERR_error_string(unsigned long error, char *text);

void EVP_PKEY_free(void *key)
{
	(void)key;
}

unsigned long ERR_get_error(void)
{
	return 0;
}

char *ERR_error_string(unsigned long error, char *text)
{
	static char none[] = "built without passwords";

	(void)error;
	return text ? text : none;
}

int check_authentication(void)
{
	return 1;
}

int decode_auth_setting(void)
{
	return -1;
}

int encode_auth_setting(void)
{
	return -1;
}

int iperf_getpass(void)
{
	return -1;
}

void *load_privkey_from_base64(void)
{
	return NULL;
}

void *load_privkey_from_file(void)
{
	return NULL;
}

void *load_pubkey_from_base64(void)
{
	return NULL;
}

void *load_pubkey_from_file(void)
{
	return NULL;
}

int test_load_private_key_from_file(void)
{
	return -1;
}

int test_load_pubkey_from_file(void)
{
	return -1;
}

int sctp_bindx(int fd, struct sockaddr *addrs, int n, int flags)
{
	(void)fd;
	(void)addrs;
	(void)n;
	(void)flags;
	return -1;
}
