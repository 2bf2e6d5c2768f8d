/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The packet ring as a model for spin: who owns which buffer, for all
 * interleavings of nested writers on one CPU with a reader on another one.
 *
 * The inlines have the names of the functions of module/core/ring.c and
 * module/wake.c, and their steps. A statement, or an atomic block, is one
 * access to what others see; between any two of them others may run.
 *
 * Writers: context 0 is the task, each other one interrupts the one below it
 * and is over before that goes on: a context runs only while it is the
 * innermost one ("running"). One interruption is one record or one flush; more
 * of them may follow at the same point.
 *
 * With WAKE the reader sleeps in poll(), and the waking is modelled; without,
 * he takes a packet at any time at which there is one, which needs far fewer
 * states for the same number of records.
 *
 * Memory: spin knows only memory at which everybody sees each store at once.
 * What hardware does to a store that is followed by a load is therefore spelled
 * out, where WAKE needs it: a plain store goes into its CPU's store buffer, and
 * memory sees it at any later time, those to different words in any order (x86
 * would keep them in order). A full barrier empties the buffer, an exchange
 * brings its own word to memory. Plain stores that others read are FULL (of the
 * writers' CPU), the place in the queue of sleepers and next_seq (of the
 * reader's).
 *
 * Left out:
 * - Times, payloads, lengths in bytes: a packet is S units, its header one,
 *   a record one or two. A record may be longer or shorter when its writer
 *   begins again, as the long form of its header comes and goes with the gap.
 * - Whether the stores of a record are seen before FULL is, and the like:
 *   ThreadSanitizer finds that in tests/stress. Here each store of a writer is
 *   checked at once against who owns the buffer.
 * - The fast path: each of its tests is one of tl_ring_reserve().
 * - Snapshots, and the end of a session (barrier E).
 * - The wrap of sequences: they are small and never wrap here.
 *
 * Macros: N slots (2 or 4), DEPTH contexts, OFFERS records and flushes in all,
 * OVERWRITE, WAKE, WATERMARK. The others (NO_..., and so on) plant a fault.
 * tests/model/run has them all.
 */
#ifndef N
#define N 2
#endif
#ifndef DEPTH
#define DEPTH 2
#endif
#ifndef OFFERS
#define OFFERS 5
#endif
#ifndef WATERMARK
#define WATERMARK 1
#endif
#ifndef WAKE
#define WAKE 0
#endif
#ifndef OVERWRITE
#define OVERWRITE 0
#endif

/* REACH=... : is that ever reached? Then it is an error, and spin shows how. */
#ifndef REACH
#define REACH	0
#endif
#define AT_FULL		1
#define AT_WRAPPED	2
#define AT_OVERWRITTEN	3
#define AT_SLEEP	4
#define AT_DEEPEST	5
#define reached(what)	assert(REACH != what)

#define S	4	/* units of a packet */
#define HEADER	1	/* of them, its header */

#define tl_pos_seq(pos)		((pos) / S)
#define tl_pos_offset(pos)	((pos) % S)

/* The hand-over word, as in packet.h, only smaller. */
#define IDLE	0
#define OPEN	1
#define FULL	2
#define tl_slot_word(state, buffer, seq) ((seq) << 5 | (state) << 3 | (buffer))
#define tl_slot_state(word)	((word) >> 3 & 3)
#define tl_slot_buffer(word)	((word) & 7)
#define tl_slot_seq(word)	((word) >> 5)

/* struct tl_ring and its slots. Packet N is the first one: no seq is < 0. */
short word[N];		/* in memory */
bool buffered[N];	/* FULL is in the store buffer of the writers' CPU */
byte ring_pos = N * S;
byte committed[N];	/* modulo S: more than tl_sum_complete() looks at */
byte content[N];
byte header_seq[N + 1];	/* the header's sequence, by buffer */

/*
 * struct tl_ring_reader. What the CPU of the reader has stored itself it
 * knows; memory may not know it yet.
 */
byte spare = N;
byte next = N;		/* next_seq as the reader knows it */
byte next_seq = N;	/* ... and in memory */

/* The wait queue and irq_work of struct tl_ring_cpu. */
bool queued;		/* the reader has put itself on the queue */
bool waiting;		/* ... and memory knows it */
bool woken;
bool asleep;
bool wake_pending;

/* The CPU of the writers: which context runs, and what is still to come. */
byte running;
bool task_busy;
bool task_done;
byte offers = OFFERS;

/* For the checks only. */
byte written[N + 1];	/* units stored into a buffer since its packet began */
byte records[N + 1];	/* records accepted in it */
byte unread;		/* records accepted, neither read nor overwritten */
byte unskipped;		/* packets overwritten that the reader knows not of */
hidden byte i;

/* What a load on the writers' CPU finds: its own store, if there is one. */
#define tl_cpu_word(slot)						\
	(buffered[slot] ->						\
		tl_slot_word(FULL, tl_slot_buffer(word[slot]),		\
			     tl_slot_seq(word[slot])) :			\
		word[slot])

/* The buffered store of a slot reaches memory. */
inline store_arrives(slot)
{
	assert(tl_slot_state(word[slot]) == OPEN);
	word[slot] = tl_slot_word(FULL, tl_slot_buffer(word[slot]),
				  tl_slot_seq(word[slot]));
	buffered[slot] = false
}

/* smp_mb() on the writers' CPU. */
inline writers_smp_mb()
{
	d_step {
		i = 0;
		do
		:: i < N ->
			if
			:: buffered[i] -> store_arrives(i)
			:: else
			fi;
			i++
		:: else -> break
		od;
		i = 0
	}
}

/* smp_mb() on the reader's CPU. */
inline reader_smp_mb()
{
	atomic {
		waiting = queued;
		next_seq = next
	}
}

/*
 * I1, I2: after each change of a word, the spare or pos. With N + 1 of them,
 * a sum of powers of two is all ones only if each is there once.
 */
inline check_always()
{
	d_step {
		i = 1 << spare;
#if N == 2
		i = i + (1 << tl_slot_buffer(word[0]));
		i = i + (1 << tl_slot_buffer(word[1]));
#else
		i = i + (1 << tl_slot_buffer(word[0]));
		i = i + (1 << tl_slot_buffer(word[1]));
		i = i + (1 << tl_slot_buffer(word[2]));
		i = i + (1 << tl_slot_buffer(word[3]));
#endif
		assert(i == (1 << (N + 1)) - 1);			/* I1 */
		i = tl_pos_seq(ring_pos) % N;
		assert(!tl_pos_offset(ring_pos) ||
		       (tl_slot_state(tl_cpu_word(i)) == OPEN &&
			tl_slot_seq(word[i]) == tl_pos_seq(ring_pos))); /* I2 */
		i = 0
	}
}

/*
 * No writer is under way: the ring is what it was at the beginning, some
 * packets later. So what holds for the first packets holds for all later ones.
 * (A writer may have opened the next slot and then found room before it.)
 */
inline check_quiet()
{
	d_step {
		i = 0;
		do
		:: i < N ->
			assert(tl_slot_seq(word[i]) < tl_pos_seq(ring_pos) ||
			       tl_slot_state(tl_cpu_word(i)) == OPEN);
			assert(tl_slot_seq(word[i]) + N >= tl_pos_seq(ring_pos));
			assert(tl_slot_seq(word[i]) >= tl_pos_seq(ring_pos) ||
			       tl_slot_state(tl_cpu_word(i)) != OPEN);
			assert(committed[i] ==
			       (tl_slot_seq(word[i]) == tl_pos_seq(ring_pos) ->
				tl_pos_offset(ring_pos) : 0));
			i++
		:: else -> break
		od;
		i = 0
	}
}

/* I4: a writer stores into the packet of a slot, at tl_ring_at(). */
inline store(seq, units)
{
	assert(tl_slot_state(tl_cpu_word((seq) % N)) == OPEN);
	assert(tl_slot_seq(word[(seq) % N]) == seq);
	assert(tl_slot_buffer(word[(seq) % N]) != spare);
	written[tl_slot_buffer(word[(seq) % N])] =
		written[tl_slot_buffer(word[(seq) % N])] + units
}

/* A record was accepted, in packet seq. */
inline accept(seq)
{
	check_always();
	records[tl_slot_buffer(word[(seq) % N])]++;
	unread++
}

/*
 * The slot's buffer begins a new packet. I3: with a later sequence. An
 * overwritten packet is gone, and the reader is to be told.
 */
inline begin_packet(slot, seq)
{
	assert(tl_slot_seq(word[slot]) < seq);
	assert(tl_slot_state(word[slot]) != OPEN);
	if
	:: tl_slot_state(word[slot]) == FULL ->
		unread = unread - records[tl_slot_buffer(word[slot])];
		unskipped++;
		reached(AT_OVERWRITTEN)
	:: else
	fi;
	written[tl_slot_buffer(word[slot])] = 0;
	records[tl_slot_buffer(word[slot])] = 0;
	header_seq[tl_slot_buffer(word[slot])] = 0
}

/* ---- module/core/ring.c, writers ---- */

#define PREPARED	0
#define STALE		1
#define REFUSED		2

/* In: seq. Out: outcome. */
inline tl_ring_prepare()
{
	seen = tl_cpu_word(seq % N);
	do
	:: atomic {
		if
		:: tl_slot_state(seen) == OPEN && tl_slot_seq(seen) == seq ->
			outcome = PREPARED;
			break
		:: else
		fi;
#ifndef NO_STALE
		if
#ifdef NO_STAMP
		:: tl_slot_seq(seen) >= seq && tl_slot_state(seen) != IDLE ->
#else
		:: tl_slot_seq(seen) >= seq ->
#endif
			outcome = STALE;
			break
		:: else
		fi;
#endif
#ifndef NO_WRAPPED
		if
		:: tl_slot_state(seen) == OPEN ->
			reached(AT_WRAPPED);
			outcome = REFUSED;
			break
		:: else
		fi;
#endif
		if
		:: tl_slot_state(seen) == FULL && !OVERWRITE ->
			reached(AT_FULL);
			outcome = REFUSED;
			break
		:: else
		fi;
		/* tl_shared_cmpxchg() */
		if
		:: buffered[seq % N] -> store_arrives(seq % N)
		:: else
		fi;
#ifdef PREPARE_STORES
		word[seq % N] = seen;
#endif
		if
		:: word[seq % N] == seen ->
			begin_packet(seq % N, seq);
			word[seq % N] = tl_slot_word(OPEN, tl_slot_buffer(seen),
						     seq);
			check_always();
			outcome = PREPARED;
			break
		:: else ->
			seen = word[seq % N]
		fi
	   }
	od
}

/* After the barrier C, look whether somebody waits. */
#if WAKE
inline tl_ring_delivered()
{
	do
	:: true ->
#ifndef NO_BARRIER_C
		writers_smp_mb();	/* C */
#endif
		atomic {
			/* waitqueue_active() */
			if
			:: !waiting -> break
			:: else
			fi
		}
		tl_ring_ready(true, next_seq);
		atomic {
			wake_pending = wake_pending || ready;
			ready = false;
			break
		}
	od
}
#else
inline tl_ring_delivered()
{
	skip
}
#endif

/* In: commit_seq, the packet. I5: nobody else has delivered it. */
inline tl_ring_deliver()
{
#ifdef WAKE_FIRST
	tl_ring_delivered();
#endif
	atomic {
		assert(tl_cpu_word(commit_seq % N) ==
		       tl_slot_word(OPEN, tl_slot_buffer(word[commit_seq % N]),
				    commit_seq));
		assert(written[tl_slot_buffer(word[commit_seq % N])] ==
		       content[commit_seq % N]);
		content[commit_seq % N] = 0;
		/* A. smp_store_release() */
		buffered[commit_seq % N] = true;
#if !WAKE
		store_arrives(commit_seq % N)
#endif
	}
#ifndef WAKE_FIRST
	tl_ring_delivered()
#endif
}

/* In: commit_seq, the packet. I5: a lap adds S units, not more. */
inline tl_ring_commit_at(units)
{
	do
	:: atomic {
		assert(committed[commit_seq % N] + units <= S);
		committed[commit_seq % N] = (committed[commit_seq % N] + units) % S;
#ifdef SUM_READ_LATER
	   }
	   atomic {
#endif
		if
		:: committed[commit_seq % N] != 0 -> break
		:: else		/* tl_sum_complete() */
		fi
	   }
	   tl_ring_deliver();
	   break
	od
}

/* In: pos. Closes the packet it is in. */
inline tl_ring_close()
{
	atomic {
		commit_seq = tl_pos_seq(pos);
		content[commit_seq % N] = tl_pos_offset(pos)
	}
	tl_ring_commit_at(S - tl_pos_offset(pos));
#ifdef DELIVER_AT_CLOSE
	if
	:: tl_slot_seq(word[commit_seq % N]) == commit_seq &&
	   tl_slot_state(tl_cpu_word(commit_seq % N)) == OPEN ->
		tl_ring_deliver()
	:: else
	fi;
#endif
}

#ifdef BORDER
#define fits(pos, units) (tl_pos_offset(pos) + (units) <= S)
#else
#define fits(pos, units) (tl_pos_offset(pos) + (units) < S)
#endif

/*
 * Out: outcome; seq, units and commit_units of the record if it is PREPARED.
 * Another attempt is at another time: perhaps with another form of the header.
 */
inline tl_ring_reserve()
{
	do
	:: atomic {
		pos = ring_pos;
		seq = tl_pos_seq(pos) + (tl_pos_offset(pos) -> 1 : 0);
		if
		:: units = 1
		:: units = 2
		fi
	   }
	   if
	   :: atomic {
		tl_pos_offset(pos) && fits(pos, units) ->
		/* tl_cpu_try_cmpxchg() */
#ifdef RESERVE_STORES
		ring_pos = pos;
#endif
		if
		:: ring_pos == pos ->
			ring_pos = pos + units;
			seq = tl_pos_seq(pos);
			accept(seq);
			commit_units = units;
			outcome = PREPARED;
			break
		:: else
		fi
	      }
	   :: else ->
		tl_ring_prepare();
		if
		:: outcome == REFUSED -> break
		:: outcome == STALE
		:: atomic {
			/* tl_ring_advance(): tl_cpu_try_cmpxchg() */
			outcome == PREPARED ->
#ifdef ADVANCE_STORES
			ring_pos = pos;
#endif
			if
			:: ring_pos == pos ->
				ring_pos = seq * S + HEADER + units;
				accept(seq)
			:: else ->
				outcome = STALE
			fi
		   }
		   if
		   :: atomic {
			outcome == PREPARED ->
			store(seq, HEADER);
			header_seq[tl_slot_buffer(word[seq % N])] = seq;
			commit_units = HEADER + units;
			if
			:: !tl_pos_offset(pos) -> break
			:: else
			fi
		      }
		      tl_ring_close();
		      break
		   :: outcome == STALE
		   fi
		fi
	   fi
	od
}

inline tl_ring_commit()
{
	tl_ring_commit_at(commit_units)
}

inline tl_ring_flush()
{
	do
	:: atomic {
		pos = ring_pos;
		if
		:: !tl_pos_offset(pos) -> break
		:: else
		fi
	   }
	   if
	   :: atomic {
		/* tl_cpu_try_cmpxchg() */
#ifdef FLUSH_STORES
		ring_pos = pos;
#endif
		ring_pos == pos ->
		ring_pos = (tl_pos_seq(pos) + 1) * S;
		check_always()
	      }
	      tl_ring_close();
	      break
	   :: ring_pos != pos
	   fi
	od
}

/* ---- both sides ---- */

/* In: is this the writers' CPU, and the packet. Out: ready. */
#define tl_word(own, slot) (own -> tl_cpu_word(slot) : word[slot])
inline tl_ring_ready(own, from)
{
	ready_seq = from;
	atomic {
		/* taken this moment by a reader that has not stored next_seq */
		seen = tl_word(own, ready_seq % N);
		if
		:: tl_slot_state(seen) == IDLE && tl_slot_seq(seen) == ready_seq ->
			ready_seq++
		:: else
		fi;
		packets = WATERMARK
	}
	do
	:: atomic {
		packets--;
		seen = tl_word(own, (ready_seq + packets) % N);
		if
		:: tl_slot_seq(seen) > ready_seq + packets ->
			ready = true
		:: tl_slot_seq(seen) < ready_seq + packets ->
			ready = false
		:: else ->
			ready = (tl_slot_state(seen) == FULL)
		fi;
		if
		:: !ready || packets == 0 ||
		   tl_slot_seq(seen) > ready_seq + packets ->
			ready_seq = 0;
			packets = 0;
			seen = 0;
			break
		:: else
		fi
	   }
	od
}

/* ---- the writers' CPU ---- */

/* One context of the CPU: a task, or what interrupts context level - 1. */
proctype context(byte level) provided (running == _pid - 1)
{
	byte units, pos, seq, outcome;
	byte commit_seq, commit_units, ready_seq, packets;
	short seen;
	bool ready;

	do
	:: atomic {
		level > 0 || offers > 0 ->
		if
		:: level == 0 ->
			offers--;
			task_busy = true
		:: else
		fi;
		if
		:: goto flush
		:: skip
		fi
	   }
	   tl_ring_reserve();
	   if
	   :: atomic {
		outcome == PREPARED ->
		store(seq, units);
		commit_seq = seq
	      }
	      tl_ring_commit()
	   :: outcome == REFUSED
	   fi;
	   goto over;
flush:
	   tl_ring_flush();
over:
	   atomic {
		units = 0; pos = 0; seq = 0; commit_seq = 0; commit_units = 0;
		outcome = 0; seen = 0;
		if
		:: level > 0 -> running--
		:: level == 0 && !task_done ->
			check_quiet();
			task_busy = false
		:: level == 0 && task_done ->
			check_quiet();
			break
		fi
	   }
	:: atomic {
		level == 0 && offers == 0 ->
		task_done = true;
		goto flush
	   }
	od
}

/* Something interrupts the writer. (Between two calls of it, nothing new.) */
proctype interrupts()
{
	do
	:: atomic {
		offers > 0 && task_busy && !task_done && running < DEPTH - 1 ->
		offers--;
		running++;
		assert(REACH != AT_DEEPEST || running < DEPTH - 1)
	   }
	:: offers == 0 -> break
	od
}

/* The store buffer of the writers' CPU. */
proctype writers_buffer()
{
	do
	:: atomic { buffered[0] -> store_arrives(0) }
	:: atomic { buffered[1] -> store_arrives(1) }
#if N == 4
	:: atomic { buffered[2] -> store_arrives(2) }
	:: atomic { buffered[3] -> store_arrives(3) }
#endif
	od
}

/* The irq_work: wake_up_poll() sees the queue under its lock. */
proctype tl_wake_work()
{
	do
	:: atomic {
		wake_pending ->
		wake_pending = false;
		woken = queued
	   }
	od
}

/* ---- the reader's CPU ---- */

/* The packet that the reader has got: all that was accepted is in it. */
inline check_packet()
{
	assert(header_seq[spare] == next);
	unread = unread - records[spare];
	records[spare] = 0;
	written[spare] = 0;
	header_seq[spare] = 0
}

/* Takes one packet, if there is one. Out: taken. */
inline tl_ring_take()
{
	do
	:: atomic {
		seen = word[next % N];	/* smp_load_acquire() */
		if
		:: tl_slot_seq(seen) > next ->
			jump = tl_slot_seq(seen) - next;
#ifdef JUMP_TOO_FAR
			jump = (jump + 2 > N + 1 -> jump + 2 - N : 1);
#else
			jump = (jump + 1 > N + 1 -> jump + 1 - N : 1);
#endif
			assert(jump <= unskipped);
			unskipped = unskipped - jump;
			next = next + jump;
			jump = 0;
			goto look_again
		:: else
		fi;
#ifdef TAKES_OPEN
		if
		:: tl_slot_seq(seen) < next || tl_slot_state(seen) == IDLE ->
#else
		if
		:: tl_slot_seq(seen) < next || tl_slot_state(seen) != FULL ->
#endif
			/* -EAGAIN */
			seen = 0;
			taken = false;
			break
		:: else
		fi
	   }
	   atomic {
		/* B. tl_shared_cmpxchg() */
#ifdef TAKE_STORES
		word[next % N] = seen;
#endif
		if
		:: word[next % N] == seen ->
#ifdef NO_SWAP
			word[next % N] = tl_slot_word(IDLE, tl_slot_buffer(seen),
						      next);
#else
			word[next % N] = tl_slot_word(IDLE, spare, next);
#endif
			spare = tl_slot_buffer(seen);
			check_always();
			check_packet();
			next++;
			seen = 0;
			taken = true;
			break
		:: else
		fi
	   }
look_again:
	   skip
	od
}

#if WAKE
/* poll() until enough packets are there. */
inline tl_ring_file_poll()
{
#ifdef LOOK_FIRST
	tl_ring_ready(false, next);
#endif
	atomic { queued = true; woken = false }	/* poll_wait() */
#ifndef NO_BARRIER_D
	reader_smp_mb();	/* D */
#endif
#ifndef LOOK_FIRST
	tl_ring_ready(false, next);
#endif
	if
	:: ready
	:: else ->
		asleep = true;
		reached(AT_SLEEP);
		atomic { woken -> asleep = false }
	fi;
	atomic { queued = false; waiting = false; woken = false; ready = false }
}
#else
/* Nothing to do before there is something to take. */
inline tl_ring_file_poll()
{
	asleep = true;
	atomic {
		tl_slot_seq(word[next % N]) > next ||
		(tl_slot_seq(word[next % N]) == next &&
		 tl_slot_state(word[next % N]) == FULL) ->
		asleep = false
	}
}
#endif

proctype reader()
{
	byte jump, ready_seq, packets;
	short seen;
	bool taken, ready;

	do
	:: tl_ring_take();
	   if
	   :: taken -> taken = false
	   :: else -> tl_ring_file_poll()
	   fi
	od
}

/* The store buffer of the reader's CPU. */
proctype reader_buffer()
{
	do
	:: waiting != queued -> waiting = queued
	:: next_seq != next -> next_seq = next
	od
}

/* ---- */

init
{
	byte level, at, packets;

	atomic {
		/* tl_ring_init() */
		do
		:: at < N ->
			word[at] = tl_slot_word(IDLE, at, at);
			at++
		:: else -> break
		od;
		do
		:: level < DEPTH ->
			run context(level);
			level++
		:: else -> break
		od;
		run interrupts();
#if WAKE
		run writers_buffer();
		run tl_wake_work();
		run reader_buffer();
#endif
		run reader()
	}
	atomic {
		timeout ->
		/* nobody can go on: writers are done, the reader sleeps */
		assert(task_done && running == 0 && asleep);
		/* nothing lost: what is not read is in FULL packets */
		at = 0;
		do
		:: at < N ->
			assert(!buffered[at]);
			if
			:: tl_slot_state(word[at]) == FULL ->
				packets++;
				unread = unread -
					 records[tl_slot_buffer(word[at])]
			:: else
			fi;
			at++
		:: else -> break
		od;
		assert(unread == 0);
		/* no wake-up was lost: there are fewer than he waits for */
		assert(packets < WATERMARK);
		/* each packet that was overwritten is known, or the next */
		assert(unskipped <= N);
		assert(packets == 0 || unskipped == 0 || OVERWRITE)
	}
}
